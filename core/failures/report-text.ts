import { firstCharacters } from '#core/messages/mail-record.ts';
import type { ReportKind } from '#core/messages/report.ts';
import { mailDate, oneLine, type ReportFacts, retriedUntil } from './report-fields.ts';

/** Maximum length of the email's subject within the report's subject. */
const subjectCharacters = 200;

/**
 * Returns a report's subject. For notifications, uses the subjects of Postfix, because software that reads reports recognizes them; the
 * same is true of "abuse report".
 */
export function reportSubject(kind: ReportKind, subject: string): string {
  const quoted = firstCharacters(oneLine(subject).trim(), subjectCharacters);
  return {
    failed: 'Undelivered Mail Returned to Sender',
    delayed: 'Delayed Mail (still being retried)',
    delivered: 'Successful Mail Delivery Report',
    autoreply: `Auto: ${quoted}`,
    complaint: `Abuse report: ${quoted}`,
  }[kind];
}

/** Returns a report's human-readable text. */
export function reportText(kind: ReportKind, facts: ReportFacts): string {
  const { receivedBy, receivedAt, remoteAddress, recipients } = facts;
  const host = oneLine(receivedBy);
  const named = recipients
    .map(({ address, reply }) => [`<${oneLine(address)}>`, ...(reply ? [oneLine(reply)] : [])].join(': '))
    .join('\n');
  const addresses = recipients.map(({ address }) => `<${oneLine(address)}>`).join('\n');
  const onPurpose = 'Sandpost created this report on purpose, as a test.';
  const by = `This is the mail system at ${host}.`;
  const source = remoteAddress === null ? '' : ` from IP address ${oneLine(remoteAddress)}`;
  return {
    failed: `${by}

Your message could not be delivered to these recipients. Delivery will
not be retried. The message, or its header, is attached.

${named}

${onPurpose}
`,
    delayed: `${by}

Your message has not yet been delivered to these recipients. Delivery
will be retried until ${mailDate(retriedUntil(facts))}.
You don't need to send it again.

${named}

${onPurpose}
`,
    delivered: `${by}

Your message was delivered to these recipients.

${addresses}

${onPurpose}
`,
    autoreply: `I am out of the office, and will read your message when I am back.

${onPurpose}
`,
    complaint: `This is an email abuse report for a message${source},
received on ${mailDate(receivedAt)}.
These recipients marked it as spam:

${addresses}

${onPurpose}
`,
  }[kind];
}
