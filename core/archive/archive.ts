import type { Account } from '#core/accounts/account.ts';
import type { Domain } from '#core/domains/domain.ts';
import type { Id } from '#core/ids.ts';
import type { Mailbox } from '#core/mailboxes/mailbox.ts';
import type { AuditChecks, Authentication } from '#core/messages/content.ts';
import type { Envelope } from '#core/messages/message.ts';

/** What an archive says of a user: everything but the messages, with the hashes that let keys and passwords work on. */
export type ArchivedUser = {
  email: string;
  passwordHash: string | null;
  apiKeys: { name: string; prefix: string; hash: string; createdAt: Date }[];
  domains: Pick<Domain, 'name' | 'active' | 'verification' | 'managedBy' | 'createdAt'>[];
  accounts: (Pick<
    Account,
    'id' | 'address' | 'active' | 'catchAll' | 'storageLimit' | 'managedBy' | 'createdAt'
  > & { passwordHash: string | null; mailboxes: Pick<Mailbox, 'id' | 'path' | 'system'>[] })[];
};

/** What an archive says of a message beside its raw bytes: what they cannot tell. Ids and `number` are the old ones. */
export type ArchivedMessage = {
  id: Id;
  email: string;
  number: number;
  accountId: Id;
  mailboxId: Id;
  receivedAt: Date;
  expiresAt: Date | null;
  autoDelete: boolean;
  isRead: boolean;
  isFlagged: boolean;
  copy: boolean;
  sizeBytes: number;
  deliveredTo: string;
  tag: string | null;
  envelope: Envelope;
  authentication: Authentication;
  audit: AuditChecks;
};

/** What moving needs of a store beyond the other ports. */
export type ArchiveStore = {
  /** Every user, oldest first. */
  users(): Promise<{ id: Id; email: string; passwordHash: string | null }[]>;
  apiKeys(owner: Id): Promise<{ name: string; prefix: string; hash: string; createdAt: Date }[]>;
  accountPassword(owner: Id, accountId: Id): Promise<string | null>;
  /** At most `limit` of the owner's messages behind a place, in the order of their commits (number, then id). */
  messagesAfter(owner: Id, after: Place, limit: number): Promise<Place[]>;
};

/** A message's place in the order of its user's messages. */
export type Place = { number: number; id: Id };

export const beginning: Place = { number: 0, id: 0 };

/** The folder that an archive is: see `adapters/archive-folder.ts`. Each write is whole or not there. */
export type ArchiveFolder = {
  writeUsers(users: ArchivedUser[]): Promise<void>;
  /** Throws a sentence where the folder holds no archive. */
  readUsers(): Promise<ArchivedUser[]>;
  /** Adds a message: its bytes first, then its line in the list. */
  addMessage(message: ArchivedMessage, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** The listed messages, in the order they were added. */
  messages(): AsyncIterable<ArchivedMessage>;
  openMessage(id: Id): AsyncIterable<Uint8Array>;
  /** Notes what a message became. */
  noteImported(old: Id, fresh: Id): Promise<void>;
  imported(): Promise<Map<Id, Id>>;
};
