import type { ClientSession } from 'mongodb';
import type { IdSource } from '#adapters/stores/mongo/counters.ts';
import { guarded } from '#adapters/stores/mongo/errors.ts';
import {
  type Collections,
  type ContentNote,
  idsOf,
  type MessageRow,
} from '#adapters/stores/mongo/schema/rows.ts';
import type { BodyWriter } from '#core/delivery/delivery.ts';
import type { Id } from '#core/ids.ts';
import { type Bucket, type BucketUpload, rawBody } from './bodies.ts';

/**
 * Orphan bodies. Each has a row under its email's id, written before the body's upload starts. A body written outside a transaction has a
 * row until its message is committed. A body that a removal may have orphaned has a row until it is checked.
 */
export type OrphanBodies = {
  /** Records a body that is about to be written. */
  begin(mailId: Id): Promise<void>;
  /** Deletes the rows of bodies whose messages this transaction adds. Returns false if one of the rows is already gone. */
  claim(session: ClientSession, mailIds: Id[]): Promise<boolean>;
  /** Records the bodies of messages that this transaction removes. */
  release(session: ClientSession, gone: Pick<MessageRow, '_id' | 'mailId' | 'siblings'>[]): Promise<void>;
  /** Removes the recorded bodies without messages, with their contents. Returns their number. */
  collect(mailIds: Id[]): Promise<number>;
  /** Returns the ids of up to `limit` recorded bodies that removals orphaned, or whose writing started before `olderThan`. */
  find(olderThan: Date, limit: number): Promise<Id[]>;
};

export function createOrphanBodies({
  collections,
  bodies,
  largeContents,
}: {
  collections: Collections;
  bodies: Bucket<ContentNote>;
  largeContents: Bucket;
}): OrphanBodies {
  const { orphanBodies: notes, messages } = collections;
  return {
    async begin(mailId) {
      await notes.insertOne({ _id: mailId, begunAt: new Date(), spent: false, messages: [], marks: 1 });
    },
    async claim(session, mailIds) {
      const { deletedCount } = await notes.deleteMany({ _id: { $in: mailIds }, spent: false }, { session });
      return deletedCount === mailIds.length;
    },
    async release(session, gone) {
      const begunAt = new Date();
      const mails = new Map(gone.map(({ _id, mailId, siblings }) => [mailId, siblings ?? [_id]]));
      const writes = [...mails].map(([_id, messages]) => ({
        updateOne: {
          filter: { _id },
          update: { $set: { begunAt, spent: true, messages }, $inc: { marks: 1 } },
          upsert: true,
        },
      }));
      await notes.bulkWrite(writes, { session, ordered: false });
    },
    async collect(mailIds) {
      if (mailIds.length === 0) return 0;
      let noted = await notes.find({ _id: { $in: mailIds } }).toArray();
      if (noted.some(({ spent }) => !spent)) {
        // Prevents later commits from claiming these bodies. Bodies claimed earlier no longer have a row.
        await notes.updateMany({ _id: { $in: mailIds }, spent: false }, { $set: { spent: true } });
        noted = await notes.find({ _id: { $in: mailIds } }).toArray();
      }
      // Reads with majority read concern, after the removal's commit. If two callers remove an email's last two messages at the same
      // time, the later of these reads finds neither message.
      const kept = await messages
        .find({ _id: { $in: noted.flatMap((note) => note.messages) } }, { projection: { mailId: 1 } })
        .map((row) => row.mailId)
        .toArray();
      const alive = new Set(kept);
      const dead = noted.map(({ _id }) => _id).filter((id) => !alive.has(id));
      if (dead.length > 0) {
        await Promise.all([bodies.remove(dead), largeContents.remove(dead)]);
      }
      // Leaves rows that were rewritten in the meantime (`marks`) to their writers.
      const seen = noted.map(({ _id, marks }) => ({ deleteOne: { filter: { _id, marks } } }));
      if (seen.length > 0) await notes.bulkWrite(seen, { ordered: false });
      return dead.length;
    },
    async find(olderThan, limit) {
      const old = { $or: [{ spent: true }, { spent: false, begunAt: { $lt: olderThan } }] };
      return idsOf(notes, old, { limit });
    },
  };
}

/** Writes a body as it is received. Before the first byte, reserves the body's id and writes its row in `orphanBodies`. */
export function createBodyWriter({
  bodies,
  ids,
  orphanBodies,
}: {
  bodies: Bucket;
  ids: IdSource;
  orphanBodies: OrphanBodies;
}): BodyWriter {
  let begun: Promise<{ id: Id; file: BucketUpload }> | null = null;
  let sizeBytes = 0;
  const begin = async () => {
    const [id = 0] = await ids.take('messages', 1);
    await orphanBodies.begin(id);
    return { id, file: bodies.upload(id) };
  };
  return guarded({
    async write(piece: Uint8Array) {
      begun ??= begin();
      const { file } = await begun;
      sizeBytes += piece.length;
      await file.write(piece);
    },
    async finish() {
      begun ??= begin();
      const { id, file } = await begun;
      await file.finish();
      return { bodyId: id, raw: rawBody(bodies, id, sizeBytes) };
    },
    async discard() {
      if (begun === null) return;
      const { id, file } = await begun;
      await file.abort();
      await orphanBodies.collect([id]);
    },
  });
}
