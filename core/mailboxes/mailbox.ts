import type { Id } from '#core/ids.ts';
import type { Page, Slice } from '#core/page.ts';

/** Folder of an account. `total` and `unread` include expired messages that have not been removed yet. */
export type Mailbox = {
  id: Id;
  accountId: Id;
  path: string;
  system: boolean;
  total: number;
  unread: number;
  createdAt: Date;
};

/** Mailboxes that each new account has, in this order. They cannot be renamed or deleted. */
export const systemMailboxes = ['INBOX', 'Sent', 'Trash', 'Drafts', 'Junk'] as const;

/** Returns the key by which stores compare paths case-insensitively. */
export function pathKey(path: string): string {
  return path.normalize('NFC').toLowerCase();
}

export type MailboxStore = {
  /** Lists the account's mailboxes, oldest first. Returns null if the owner does not have the account. */
  list(owner: Id, accountId: Id, page: Page): Promise<Slice<Mailbox> | null>;
  find(owner: Id, accountId: Id, id: Id): Promise<Mailbox | null>;
};
