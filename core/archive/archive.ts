import type { Id } from '#core/ids.ts';
import type { ArchivedKey, ArchivedMessage, ArchivedPeople } from './archive-shapes.ts';

/** Reads for export and import that no other port offers. */
export type ArchiveStore = {
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
