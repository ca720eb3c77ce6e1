import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { type Mailbox, pathKey } from '#core/mailboxes/mailbox.ts';
import type { RuleCounts } from '#core/rules/mail-rule.ts';
import type { PreparedTarget } from './delivery.ts';

export type MailboxPlace = { id: Id; pathKey: string };

export type NewMailbox = { mailbox: Mailbox; owner: Id };

type RuledTarget = Pick<PreparedTarget, 'owner' | 'accountId' | 'mailbox' | 'ruled'>;

/** Mailboxes of an account that a batch may name, and the number of all of its mailboxes. */
type Boxes = { mailboxes: MailboxPlace[]; mailboxCount: number };

/**
 * Finds the mailbox that rules name for a target. If the mailbox does not exist and the account may have another one, creates it with the
 * next of the `ids` and adds it to `made`. Returns undefined if the account may not have another one.
 */
export function ruledPlace(
  path: string,
  { owner, accountId }: Pick<RuledTarget, 'owner' | 'accountId'>,
  { mailboxes, mailboxCount }: Boxes,
  { made, ids, at }: { made: NewMailbox[]; ids: Id[]; at: Date },
): MailboxPlace | undefined {
  const own = made.filter(({ mailbox }) => mailbox.accountId === accountId);
  const added = own.map(({ mailbox }) => ({ id: mailbox.id, pathKey: pathKey(mailbox.path) }));
  const found = [...mailboxes, ...added].find((place) => place.pathKey === pathKey(path));
  if (found !== undefined) return found;
  const id = ids[made.length];
  if (id === undefined || mailboxCount + own.length >= limits.owned.mailboxes) return undefined;
  made.push({
    mailbox: { id, accountId, path, system: false, total: 0, unread: 0, createdAt: at },
    owner,
  });
  return { id, pathKey: pathKey(path) };
}

/** Returns an email without the targets that rules discard. Each remaining target gets an ID. */
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

/** Adds the rules that were applied to targets to a batch's counts. */
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

/** Finds a target whose team's rules have changed since they were applied to it. `versions` are the teams' current rule versions. */
export function findStale<Target extends RuledTarget>(
  targets: Target[],
  versions: Map<Id, number>,
): Target | undefined {
  return targets.find(
    ({ mailbox, owner, ruled }) =>
      mailbox === 'INBOX' && ruled?.version !== null && (versions.get(owner) ?? 0) !== (ruled?.version ?? 0),
  );
}
