import type { Quota } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Page, Slice } from '#core/page.ts';

/** A folder of an account. `total` and `unread` count expired messages too, until they are removed. */
export type Mailbox = {
  id: Id;
  accountId: Id;
  path: string;
  system: boolean;
  total: number;
  unread: number;
  createdAt: Date;
};

/** Mailboxes of each new account, in this order. They cannot be renamed or deleted. */
export const systemMailboxes = ['INBOX', 'Sent', 'Trash', 'Drafts', 'Junk'] as const;

/** Returns the key by which stores compare paths, without regard to case. */
export function pathKey(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

export type MailboxStore = {
  /** Lists the account's mailboxes, oldest first. Returns null where the account is not the owner's. */
  list(owner: Id, accountId: Id, page: Page): Promise<Slice<Mailbox> | null>;
  find(owner: Id, accountId: Id, id: Id): Promise<Mailbox | null>;
  /**
   * Returns `taken` where the account has a mailbox of that path, and null where the account is not the owner's. Throws
   * Invalid where the account has as many mailboxes as `quota` allows.
   */
  insert(owner: Id, accountId: Id, path: string, now: Date, quota?: Quota): Promise<Mailbox | 'taken' | null>;
  rename(owner: Id, accountId: Id, id: Id, path: string): Promise<Mailbox | 'taken' | null>;
  /** Makes the mailbox and its messages invisible at once, and takes their bytes off the account's used bytes. */
  softDelete(owner: Id, accountId: Id, id: Id, now: Date): Promise<boolean>;
};
