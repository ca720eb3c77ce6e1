import type { Dsn } from '#core/messages/message.ts';
import type { SMTPServerAddress, SMTPServerSession } from './smtp-server-adapter.ts';

const returned = ['FULL', 'HDRS'] as const;
const conditions = ['NEVER', 'SUCCESS', 'FAILURE', 'DELAY'] as const;

/**
 * Returns the parameters of an envelope for delivery status notifications (RFC 3461), or null where it has none. smtp-server
 * has checked them.
 */
export function dsnOf({ dsn, rcptTo }: SMTPServerSession['envelope']): Dsn | null {
  const ret = returned.find((value) => value === dsn?.ret) ?? null;
  const envid = dsn?.envid ?? null;
  const recipients = rcptTo.flatMap(({ address, dsn: asked }) => {
    if (!asked) return [];
    const notify = conditions.filter((condition) => asked.notify?.includes(condition));
    return [{ address, notify, orcpt: asked.orcpt ?? null }];
  });
  return ret === null && envid === null && recipients.length === 0 ? null : { ret, envid, recipients };
}

/** Length of the texts for notifications of an envelope: its ENVID, and each ORCPT with that of a further recipient. */
export function dsnTextLength(
  { dsn, rcptTo }: SMTPServerSession['envelope'],
  recipient: SMTPServerAddress,
): number {
  // A repeated recipient replaces the earlier one.
  const others = rcptTo.filter(({ address }) => address !== recipient.address);
  const orcpts = [...others, recipient].map((one) => one.dsn?.orcpt?.length ?? 0);
  return orcpts.reduce((sum, length) => sum + length, dsn?.envid?.length ?? 0);
}
