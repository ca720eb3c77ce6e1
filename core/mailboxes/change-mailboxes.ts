import type { Cascade } from '#core/domains/domain.ts';
import { invalid, NotFound, type Quota } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Mailbox, MailboxStore } from './mailbox.ts';

/** Creates a mailbox in an account of the owner's. Throws NotFound, Invalid. */
export async function createMailbox(
  { mailboxes, clock }: { mailboxes: MailboxStore; clock: () => Date },
  owner: Id,
  accountId: Id,
  path: string,
): Promise<Mailbox> {
  const most = limits.owned.mailboxes;
  const quota: Quota = { field: 'path', limit: 'owned.mailboxes', things: 'mailboxes', most };
  return mailboxOf(await mailboxes.insert(owner, accountId, wellFormed(path), clock(), quota), path);
}

/**
 * Renames a mailbox that is not a system one. The new path may differ from the old one in case alone. Throws NotFound,
 * Invalid.
 */
export async function renameMailbox(
  { mailboxes }: { mailboxes: MailboxStore },
  owner: Id,
  accountId: Id,
  id: Id,
  path: string,
): Promise<Mailbox> {
  await customMailbox(mailboxes, owner, accountId, id, 'renamed');
  return mailboxOf(await mailboxes.rename(owner, accountId, id, wellFormed(path)), path);
}

/** Deletes a mailbox that is not a system one, with its messages. Throws NotFound, Invalid. */
export async function deleteMailbox(
  { mailboxes, cascade, clock }: { mailboxes: MailboxStore; cascade: Cascade; clock: () => Date },
  owner: Id,
  accountId: Id,
  id: Id,
): Promise<void> {
  await customMailbox(mailboxes, owner, accountId, id, 'deleted');
  if (!(await mailboxes.softDelete(owner, accountId, id, clock()))) throw new NotFound();
  cascade.begin();
}

async function customMailbox(
  mailboxes: MailboxStore,
  owner: Id,
  accountId: Id,
  id: Id,
  done: string,
): Promise<void> {
  const mailbox = await mailboxes.find(owner, accountId, id);
  if (mailbox === null) throw new NotFound();
  if (mailbox.system) throw invalid('mailbox', `${mailbox.path} is a system mailbox and cannot be ${done}`);
}

function wellFormed(path: string): string {
  if (path === '' || [...path].length > 255) throw invalid('path', 'must have 1 to 255 characters');
  if (/\p{Cc}/u.test(path)) throw invalid('path', 'must not contain control characters');
  if (/^[\s/]|[\s/]$/u.test(path)) throw invalid('path', 'must not begin or end with a space or a slash');
  return path.normalize('NFC');
}

function mailboxOf(mailbox: Mailbox | 'taken' | null, path: string): Mailbox {
  if (mailbox === null) throw new NotFound();
  if (mailbox === 'taken') throw invalid('path', `the account already has a mailbox ${path}`);
  return mailbox;
}
