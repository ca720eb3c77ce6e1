import type { Id } from '#core/ids.ts';
import type { ArchivedKey, ArchivedMessage, ArchivedPeople } from './archive-shapes.ts';

/** Reads that only export and import need. */
export type ArchiveStore = {
  /**
   * Lists a team's messages after a place, at most `limit`, in commit order (number, then id), or all messages with the same
   * facts, in any order.
   */
  messages(team: Id, wanted: { after: Place; limit: number } | { alike: MessageFacts }): Promise<Place[]>;
};

/** Keys of a team, oldest first, and its accounts' password hashes by account id. */
export type Credentials = { apiKeys: ArchivedKey[]; passwords: Map<Id, string | null> };

/** Facts that few of a team's messages share. */
export type MessageFacts = Pick<ArchivedMessage, 'mailboxId' | 'receivedAt' | 'sizeBytes'>;

/** Place of a message in the order of its team's messages. */
export type Place = { number: number; id: Id };

export const beginning: Place = { number: 0, id: 0 };

/** Folder of an archive. Each write is whole or has no effect. `adapters/archive-folder.ts` describes the files. */
export type ArchiveFolder = {
  /** Returns 256 random bits of this archive, generated at its first use. */
  secret(): Promise<string>;
  /** Writes users and teams. Throws an error of one sentence if the folder has an archive in another format. */
  writePeople(people: ArchivedPeople): Promise<void>;
  /** Reads users and teams. Throws an error of one sentence if the folder is not an archive. */
  readPeople(): Promise<ArchivedPeople>;
  /** Adds a message: its bytes first, then its line in the list. */
  addMessage(message: ArchivedMessage, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Reads the message list in the order in which messages were added. Requires the users and teams. */
  messages(): AsyncIterable<ArchivedMessage>;
  /** Reads a message's bytes. Throws an error of one sentence unless there are `sizeBytes` of them. */
  openMessage(id: Id, sizeBytes: number): AsyncIterable<Uint8Array>;
  /** Records the new id of a message imported into an installation. */
  noteImported(installation: string, old: Id, fresh: Id): Promise<void>;
  /** Reads the new ids of the messages imported into an installation, by their old ids. */
  imported(installation: string): Promise<Map<Id, Id>>;
};
