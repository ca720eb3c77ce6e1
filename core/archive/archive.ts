import type { Id } from '#core/ids.ts';
import type { ArchivedKey, ArchivedMessage, ArchivedPeople } from './archive-shapes.ts';

/** Reads that only exports and imports need. */
export type ArchiveStore = {
  /**
   * Lists a team's messages in commit order (number, then ID), up to `limit` of them after a place; or lists all messages that have the
   * same facts, in any order.
   */
  messages(team: Id, wanted: { after: Place; limit: number } | { alike: MessageFacts }): Promise<Place[]>;
};

/** Keys of a team, oldest first, and its accounts' password hashes by account ID. */
export type Credentials = { apiKeys: ArchivedKey[]; passwords: Map<Id, string | null> };

/** Facts that only a few of a team's messages have in common. */
export type MessageFacts = Pick<ArchivedMessage, 'mailboxId' | 'receivedAt' | 'sizeBytes'>;

/** Place of a message in the order of its team's messages. */
export type Place = { number: number; id: Id };

export const beginning: Place = { number: 0, id: 0 };

/** Folder of an archive. Each write takes effect completely or not at all. `adapters/archive-folder.ts` describes the files. */
export type ArchiveFolder = {
  /** Returns this archive's 256 random bits, which are generated at the first call. */
  secret(): Promise<string>;
  /** Writes users and teams. Throws an error of one sentence if the folder contains an archive in another format. */
  writePeople(people: ArchivedPeople): Promise<void>;
  /** Reads users and teams. Throws an error of one sentence if the folder is not an archive. */
  readPeople(): Promise<ArchivedPeople>;
  /** Adds a message: first its bytes, then its line in the message list. */
  addMessage(message: ArchivedMessage, bytes: AsyncIterable<Uint8Array>): Promise<void>;
  /** Reads the message list in the order in which messages were added. Users and teams must already have been written. */
  messages(): AsyncIterable<ArchivedMessage>;
  /** Reads a message's bytes. Throws an error of one sentence if their number is not `sizeBytes`. */
  openMessage(id: Id, sizeBytes: number): AsyncIterable<Uint8Array>;
  noteImported(installation: string, old: Id, fresh: Id): Promise<void>;
  /** Reads the new IDs of the messages that were imported into an installation, by their old IDs. */
  imported(installation: string): Promise<Map<Id, Id>>;
};
