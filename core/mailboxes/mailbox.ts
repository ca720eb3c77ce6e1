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

/** What each new account has, in this order; none of them can be renamed or deleted. */
export const systemMailboxes = ['INBOX', 'Sent', 'Trash', 'Drafts', 'Junk'] as const;

/** Stores compare paths without regard to case: this is the key they compare. */
export function pathKey(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

export type MailboxStore = {
  /** The account's mailboxes in the order they were made; null where the account is not the owner's. */
  list(owner: Id, accountId: Id, page: Page): Promise<Slice<Mailbox> | null>;
  /** As it was at `asked`, by `performance.now()`, or later; without it, at the call. */
  find(owner: Id, accountId: Id, id: Id, asked?: number): Promise<Mailbox | null>;
  /**
   * `taken` where the account has a mailbox of that path, null where the account is not the owner's. Throws OverQuota where
   * it has `most` mailboxes.
   */
  insert(owner: Id, accountId: Id, path: string, now: Date, most?: number): Promise<Mailbox | 'taken' | null>;
  rename(owner: Id, accountId: Id, id: Id, path: string): Promise<Mailbox | 'taken' | null>;
  /** Makes the mailbox and its messages invisible and gives their bytes back to the account at once. */
  bury(owner: Id, accountId: Id, id: Id, now: Date): Promise<boolean>;
};
