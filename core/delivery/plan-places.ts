import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { type Mailbox, pathKey } from '#core/mailboxes/mailbox.ts';
import type { RuleCounts } from '#core/rules/mail-rule.ts';
import type { DeliveryTarget, PreparedTarget } from './delivery.ts';

export type MailboxPlace = { id: Id; pathKey: string };

/** Mailbox that a batch makes, with its team. */
export type NewMailbox = { mailbox: Mailbox; owner: Id };

type RuledTarget = Pick<PreparedTarget, 'owner' | 'accountId' | 'mailbox' | 'ruled'>;

/** Mailboxes of an account that a batch may name, and the number of all of them. */
type Boxes = { mailboxes: MailboxPlace[]; mailboxCount: number };

/** Path of the mailbox that rules name for a target, or null. Rules say nothing of copies in Sent and of restored messages. */
export function ruledPath({ mailbox, ruled }: Pick<RuledTarget, 'mailbox' | 'ruled'>): string | null {
  return mailbox === 'INBOX' ? (ruled?.ruling.mailbox ?? null) : null;
}

/** Finds the mailbox of a target, which names a system mailbox by its path and any other by its id. */
function isNamed(mailbox: DeliveryTarget['mailbox'], { id, pathKey: key }: MailboxPlace): boolean {
  return typeof mailbox === 'string' ? pathKey(mailbox) === key : mailbox.id === id;
}

/**
 * Finds the mailbox of a target. The one that rules name is made where the account lacks it and has room for it, with the next of
 * the `ids`, and added to `made`. Otherwise the message goes to INBOX. Undefined: there is no such mailbox.
 */
export function placeOf(
  target: RuledTarget,
  { mailboxes, mailboxCount }: Boxes,
  { made, ids, at }: { made: NewMailbox[]; ids: Id[]; at: Date },
): MailboxPlace | undefined {
  const path = ruledPath(target);
  if (path !== null) {
    const own = made.filter(({ mailbox }) => mailbox.accountId === target.accountId);
    const added = own.map(({ mailbox }) => ({ id: mailbox.id, pathKey: pathKey(mailbox.path) }));
    const found = [...mailboxes, ...added].find((place) => place.pathKey === pathKey(path));
    if (found !== undefined) return found;
    const id = ids[made.length];
    if (id !== undefined && mailboxCount + own.length < limits.owned.mailboxes) {
      const place = { id, accountId: target.accountId, path, system: false };
      made.push({ mailbox: { ...place, total: 0, unread: 0, createdAt: at }, owner: target.owner });
      return { id, pathKey: pathKey(path) };
    }
  }
  return mailboxes.find((place) => isNamed(target.mailbox, place));
}

/** Returns a mail without the targets that rules discard, with an id for each of the others. */
export function withoutDiscarded<Mail extends { ids: Id[]; targets: Pick<PreparedTarget, 'ruled'>[] }>(
  mail: Mail,
): Mail {
  const isKept = ({ ruled }: Pick<PreparedTarget, 'ruled'>) =>
    ruled === undefined || ruled.ruling.discardedBy === null;
  const { ids, targets } = mail;
  if (targets.every(isKept)) return mail;
  return {
    ...mail,
    ids: ids.filter((_, index) => targets[index] !== undefined && isKept(targets[index])),
    targets: targets.filter(isKept),
  };
}

/** Adds the rules that were applied to targets to the counts of a batch. */
export function countRules(targets: Pick<PreparedTarget, 'ruled'>[], counts: Map<Id, RuleCounts>): void {
  for (const { ruled } of targets) {
    if (ruled === undefined) continue;
    const { rules, discardedBy } = ruled.ruling;
    for (const id of rules) {
      const { matched, discarded } = counts.get(id) ?? { matched: 0, discarded: 0 };
      counts.set(id, { matched: matched + 1, discarded: discarded + (id === discardedBy ? 1 : 0) });
    }
  }
}

/** Finds a target whose rules have changed since they were applied to it. `versions` are those of the teams' rules. */
export function findStale<Target extends RuledTarget>(
  targets: Target[],
  versions: Map<Id, number>,
): Target | undefined {
  return targets.find(
    ({ mailbox, owner, ruled }) =>
      mailbox === 'INBOX' && ruled?.version !== null && (versions.get(owner) ?? 0) !== (ruled?.version ?? 0),
  );
}
