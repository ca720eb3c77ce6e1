import { defineChange, type Plan, type RowStore } from '#core/change.ts';
import type { Cascade } from '#core/domains/domain.ts';
import { found, invalid, NotFound, requireRoom } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { type Mailbox, pathKey } from './mailbox.ts';

type Ports = { rows: RowStore; clock: () => Date };

const mailboxQuota = { field: 'path', limit: 'owned.mailboxes', things: 'mailboxes' } as const;

/**
 * Adds a mailbox to an account. Throws NotFound if the account does not exist. Throws Invalid if the account already has a mailbox with
 * this path, or already has `quota` mailboxes.
 */
export const addMailbox = defineChange(
  'addMailbox',
  ['newMailbox', 'account', 'mailboxes'],
  (
    { newMailbox: id, account, mailboxes },
    given: { team: Id; account: Id; path: string; quota?: number; now: Date },
  ): Plan<Mailbox> => {
    const path = wellFormedPath(given.path);
    if (account === null) throw new NotFound();
    requireRoom(mailboxes.length, { ...mailboxQuota, most: given.quota });
    refuseTaken(mailboxes, given.path);
    const place = { id, accountId: account.id, path, system: false };
    const mailbox = { ...place, total: 0, unread: 0, createdAt: given.now };
    return { writes: [{ do: 'add-mailbox', mailbox, owner: account.owner }], result: mailbox };
  },
);

/** Renames a mailbox that is not a system mailbox. The new path may differ from the old one only in case. Throws NotFound, Invalid. */
export const renameMailbox = defineChange(
  'renameMailbox',
  ['mailboxes'],
  (
    { mailboxes },
    { mailbox: id, path: wanted }: { team: Id; account: Id; mailbox: Id; path: string },
  ): Plan<Mailbox> => {
    const mailbox = customMailbox(mailboxes, id, 'renamed');
    const path = wellFormedPath(wanted);
    const others = mailboxes.filter((other) => other !== mailbox);
    refuseTaken(others, wanted);
    return { writes: [{ do: 'rename-mailbox', mailbox: id, path }], result: { ...mailbox, path } };
  },
);

/** Deletes a mailbox that is not a system mailbox. Throws NotFound, Invalid. */
export const removeMailbox = defineChange(
  'removeMailbox',
  ['mailboxes'],
  ({ mailboxes }, { mailbox: id, now }: { team: Id; account: Id; mailbox: Id; now: Date }): Plan<void> => {
    const { accountId: account } = customMailbox(mailboxes, id, 'deleted');
    return { writes: [{ do: 'delete-mailbox', mailbox: id, account, now }], result: undefined };
  },
);

/** Creates a mailbox in one of the team's accounts. Throws NotFound, Invalid. */
export function createMailbox({ rows, clock }: Ports, team: Id, account: Id, path: string): Promise<Mailbox> {
  const quota = limits.owned.mailboxes;
  return rows.change(addMailbox, { team, account, path, quota, now: clock() });
}

/** Deletes a mailbox that is not a system mailbox, with its messages. Throws NotFound, Invalid. */
export async function deleteMailbox(
  { rows, cascade, clock }: Ports & { cascade: Cascade },
  team: Id,
  account: Id,
  mailbox: Id,
): Promise<void> {
  await rows.change(removeMailbox, { team, account, mailbox, now: clock() });
  cascade.begin();
}

function customMailbox(mailboxes: Mailbox[], id: Id, done: string): Mailbox {
  const mailbox = found(mailboxes.find((one) => one.id === id));
  if (mailbox.system) throw invalid('mailbox', `${mailbox.path} is a system mailbox and cannot be ${done}`);
  return mailbox;
}

/** Returns a path in its normal form. Throws Invalid for the request field that contains the path. */
export function wellFormedPath(path: string, field = 'path'): string {
  if (path === '' || [...path].length > 255) throw invalid(field, 'must have 1 to 255 characters');
  if (/\p{Cc}/u.test(path)) throw invalid(field, 'must not contain control characters');
  if (/^[\s/]|[\s/]$/u.test(path)) throw invalid(field, 'must not begin or end with a space or a slash');
  return path.normalize('NFC');
}

function refuseTaken(others: Mailbox[], path: string): void {
  if (others.some((other) => pathKey(other.path) === pathKey(path)))
    throw invalid('path', `the account already has a mailbox ${path}`);
}
