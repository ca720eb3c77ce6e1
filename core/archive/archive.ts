import type { Account } from '#core/accounts/account.ts';
import type { Domain } from '#core/domains/domain.ts';
import type { Id } from '#core/ids.ts';
import type { Mailbox } from '#core/mailboxes/mailbox.ts';
import type { AuditChecks, Authentication, Submission } from '#core/messages/content.ts';
import type { Envelope } from '#core/messages/message.ts';

/**
 * User in an archive, with everything but the messages. The hashes keep keys and passwords valid. Archives that were written
 * before there were capture accounts lack `capture`.
 */
export type ArchivedUser = {
  email: string;
  passwordHash: string | null;
  apiKeys: { name: string; prefix: string; hash: string; createdAt: Date }[];
  domains: Pick<Domain, 'name' | 'active' | 'verification' | 'managedBy' | 'createdAt'>[];
  accounts: (Pick<
    Account,
    'id' | 'address' | 'active' | 'catchAll' | 'storageLimit' | 'managedBy' | 'createdAt'
  > & {
    capture?: boolean;
    passwordHash: string | null;
    mailboxes: Pick<Mailbox, 'id' | 'path' | 'system'>[];
  })[];
};

/** Message in an archive, with the facts that are not in its raw bytes. Ids and `number` are the old ones. */
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
  /** Missing where there is none, and in archives that were written before there were such things. */
  submission?: Submission;
};

/** Reads of a store that moving needs beyond the other ports. */
export type ArchiveStore = {
  /** Returns the name of this installation of the store, which no other has. */
  installation(): Promise<string>;
  /** Lists all users, oldest first. */
  users(): Promise<{ id: Id; email: string; passwordHash: string | null }[]>;
  apiKeys(owner: Id): Promise<{ name: string; prefix: string; hash: string; createdAt: Date }[]>;
  accountPassword(owner: Id, accountId: Id): Promise<string | null>;
  /** Lists at most `limit` of the owner's messages after a place, in the order of their commits (number, then id). */
  messagesAfter(owner: Id, after: Place, limit: number): Promise<Place[]>;
};

/** Place of a message in the order of its user's messages. */
export type Place = { number: number; id: Id };

export const beginning: Place = { number: 0, id: 0 };

/** Folder of an archive. Each write is whole or has no effect. `adapters/archive-folder.ts` describes the files. */
export type ArchiveFolder = {
  writeUsers(users: ArchivedUser[]): Promise<void>;
  /** Reads the users. Throws an error of one sentence where the folder is not an archive. */
  readUsers(): Promise<ArchivedUser[]>;
  /** Adds a message: its bytes first, then its line in the list. */
  addMessage(message: ArchivedMessage, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Reads the list of messages, in the order in which they were added. */
  messages(): AsyncIterable<ArchivedMessage>;
  openMessage(id: Id): AsyncIterable<Uint8Array>;
  /** Notes the new id of a message that was imported into an installation. */
  noteImported(installation: string, old: Id, fresh: Id): Promise<void>;
  /** Reads the new ids of the messages that were imported into an installation, by their old ids. */
  imported(installation: string): Promise<Map<Id, Id>>;
};
