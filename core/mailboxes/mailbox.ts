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
};
