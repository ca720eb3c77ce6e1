import type { Dsn } from '#core/messages/message.ts';
import type { SMTPServerSession } from './smtp-server-adapter.ts';

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
