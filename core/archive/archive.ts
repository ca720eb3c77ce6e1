import type { Identity, KeyScope } from '#core/access/access.ts';
import type { Team } from '#core/access/people.ts';
import type { Grant } from '#core/access/role.ts';
import type { Account, AccountFlags } from '#core/accounts/account.ts';
import type { Domain } from '#core/domains/domain.ts';
import type { Id } from '#core/ids.ts';
import type { Mailbox } from '#core/mailboxes/mailbox.ts';
import type { AuditChecks, Authentication, Submission } from '#core/messages/content.ts';
import type { Envelope } from '#core/messages/message.ts';
import type { RuleWords } from '#core/rules/mail-rule.ts';
import type { SavedSearch } from '#core/search/saved-search.ts';

/** Users and teams of an archive: everything but the messages. */
export type ArchivedPeople = { users: ArchivedUser[]; teams: ArchivedTeam[] };

/** User in an archive, with the old id, which their personal team has too. The hash keeps the password valid. */
export type ArchivedUser = {
  id: Id;
  email: string;
  passwordHash: string | null;
  createdAt: Date;
  emailVerified: boolean;
  disabledAt: Date | null;
  identities: Identity[];
};

/**
 * Team in an archive, with its old id. Grants are those of members who
 * were invited or come from groups: the operator makes those of Kubernetes resources again. Archives of earlier versions lack fields
 * that may be absent. Failure rules, which live for a day at most, are left out.
 */
export type ArchivedTeam = Team & {
  members: { email: string; grants: Grant[]; joinedAt: Date }[];
  apiKeys: ArchivedKey[];
  searches?: Omit<SavedSearch, 'id'>[];
  /** Rules for mail in their order, without their counts. */
  rules?: RuleWords[];
  domains: (Pick<Domain, 'name' | 'active' | 'verification' | 'managedBy' | 'createdAt'> & {
    assumedClientIp?: string | null;
  })[];
  accounts: (Pick<
    Account,
    'id' | 'address' | 'active' | 'catchAll' | 'storageLimit' | 'managedBy' | 'createdAt'
  > &
    Partial<AccountFlags> & {
      passwordHash: string | null;
      mailboxes: Pick<Mailbox, 'id' | 'path' | 'system'>[];
    })[];
};

/** Key in an archive, under its hash. `createdBy` is an e-mail. */
export type ArchivedKey = {
  name: string;
  prefix: string;
  hash: string;
  scope: KeyScope;
  expiresAt: Date | null;
  createdBy: string | null;
  managedBy: string | null;
  createdAt: Date;
};

/**
 * Message in an archive, with the facts that are not in its raw bytes. Ids, that of the team included, and `number` are the old
 * ones.
 */
export type ArchivedMessage = {
  id: Id;
  team: Id;
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
  /** Missing in archives from before there were tags. */
  tags?: string[];
  envelope: Envelope;
  authentication: Authentication;
  audit: AuditChecks;
  /** Request to a provider API that the message came by, if any. Older archives never have it. */
  submission?: Submission;
  /** SMTP dialogue that brought the message, as far as its team may see it. Older archives never have it. */
  transcript?: string;
};

/** Reads for export and import that no other port offers. */
export type ArchiveStore = {
  identities(user: Id): Promise<Identity[]>;
  credentials(team: Id): Promise<Credentials>;
  /**
   * Lists the messages of a team after a place, at most `limit`, in the order of their commits (number, then id), or all that have
   * the same facts, in no promised order.
   */
  messages(team: Id, wanted: { after: Place; limit: number } | { alike: MessageFacts }): Promise<Place[]>;
};

/** Keys of a team, oldest first, and the password hashes of its accounts, by their ids. */
export type Credentials = { apiKeys: ArchivedKey[]; passwords: Map<Id, string | null> };

/** Facts that few messages of a team have in common. */
export type MessageFacts = Pick<ArchivedMessage, 'mailboxId' | 'receivedAt' | 'sizeBytes'>;

/** Place of a message in the order of its team's messages. */
export type Place = { number: number; id: Id };

export const beginning: Place = { number: 0, id: 0 };

/** Folder of an archive. Each write is whole or has no effect. `adapters/archive-folder.ts` describes the files. */
export type ArchiveFolder = {
  /** Returns 256 random bits of this archive, as its first use made them. */
  secret(): Promise<string>;
  /** Writes users and teams. Throws an error of one sentence where the folder has an archive of another format. */
  writePeople(people: ArchivedPeople): Promise<void>;
  /** Reads users and teams. Throws an error of one sentence where the folder is not an archive. */
  readPeople(): Promise<ArchivedPeople>;
  /** Adds a message: its bytes first, then its line in the list. */
  addMessage(message: ArchivedMessage, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Reads the list of messages, in the order in which they were added. The users and teams have to be there. */
  messages(): AsyncIterable<ArchivedMessage>;
  /** Reads the bytes of a message. Throws an error of one sentence where there are not `sizeBytes` of them. */
  openMessage(id: Id, sizeBytes: number): AsyncIterable<Uint8Array>;
  /** Notes the new id of a message that was imported into an installation. */
  noteImported(installation: string, old: Id, fresh: Id): Promise<void>;
  /** Reads the new ids of the messages that were imported into an installation, by their old ids. */
  imported(installation: string): Promise<Map<Id, Id>>;
};
