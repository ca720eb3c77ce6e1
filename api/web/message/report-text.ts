import type { Message } from '../client/shapes.ts';

type Report = NonNullable<Message['report']>;
type Recipient = Report['recipients'][number];

/** Predicates for the sentences about recipients, by action (RFC 3464 section 2.3.3). */
const fates: Record<NonNullable<Recipient['action']>, string> = {
  failed: 'could not be delivered',
  delayed: 'has not been delivered yet; the server is still trying',
  delivered: 'was delivered',
  relayed: 'was relayed to a server that sends no reports',
  expanded: 'was forwarded to several addresses',
};

const names: Record<Report['kind'], string> = {
  failed: 'Bounce',
  delayed: 'Delayed',
  delivered: 'Delivered',
  autoreply: 'Automatic reply',
  complaint: 'Complaint',
};

/** Tone of a report's colors. */
export const toneOfReport = ({ kind }: Report) =>
  ({ failed: 'danger', delayed: 'warning', delivered: 'good', autoreply: '', complaint: 'danger' })[kind];

/** Returns a sentence about each recipient of a report: `Bounce: mail to qa@app.test could not be delivered: 550 5.1.1 No such user`. */
export function sentencesOf({ kind, recipients }: Report): string[] {
  const name = names[kind];
  if (kind === 'autoreply') return [`${name}: a program sent this in reply to an earlier message.`];
  if (kind === 'complaint')
    return recipients.map(({ address }) => `${name}: ${address} reported an earlier message as spam.`);
  return recipients.map(({ address, action, status, diagnostic }) => {
    const reason = [diagnostic?.includes(status ?? '') ? '' : status, diagnostic].filter(Boolean).join(' ');
    const fate = fates[action ?? (kind === 'failed' ? 'failed' : kind)];
    return `${name}: mail to ${address} ${fate}${reason === '' || reason.startsWith('2') ? '.' : `: ${reason}`}`;
  });
}
