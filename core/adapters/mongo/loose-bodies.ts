import type { ClientSession } from 'mongodb';
import type { Id } from '#core/ids.ts';
import type { Context } from './context.ts';

/**
 * Bodies without a message, each noted under its mail's id before it can be without: those that are written outside a
 * transaction, until their message's commits, and those that a removal may have left, until they are looked at.
 */
export type LooseBodies = {
  /** Notes a body that is about to be written. */
  begin(mailId: Id): Promise<void>;
  /** Takes the notes of bodies that get their message now; false where one is gone already. */
  claim(session: ClientSession, mailIds: Id[]): Promise<boolean>;
  /** Notes bodies whose messages are removed now. */
  release(session: ClientSession, mailIds: Id[]): Promise<void>;
  /** Removes those of the noted bodies that no message has, with all that belongs to them; gives how many. */
  collect(mailIds: Id[]): Promise<number>;
  /** Ids of at most `limit` noted bodies that were left by removals, or begun before `olderThan`. */
  find(olderThan: Date, limit: number): Promise<Id[]>;
};

export function createLooseBodies({
  collections,
  bodies,
  largeContents,
}: Omit<Context, 'looseBodies'>): LooseBodies {
  const { looseBodies: notes, messages } = collections;
  return {
    async begin(mailId) {
      await notes.insertOne({ _id: mailId, begunAt: new Date(), spent: false, marks: 1 });
    },
    async claim(session, mailIds) {
      const { deletedCount } = await notes.deleteMany({ _id: { $in: mailIds }, spent: false }, { session });
      return deletedCount === mailIds.length;
    },
    async release(session, mailIds) {
      const begunAt = new Date();
      const writes = [...new Set(mailIds)].map((_id) => ({
        updateOne: {
          filter: { _id },
          update: { $set: { begunAt, spent: true }, $inc: { marks: 1 } },
          upsert: true,
        },
      }));
      await notes.bulkWrite(writes, { session, ordered: false });
    },
    async collect(mailIds) {
      if (mailIds.length === 0) return 0;
      const noted = await notes.find({ _id: { $in: mailIds } }).toArray();
      const begun = noted.filter(({ spent }) => !spent).map(({ _id }) => _id);
      // From here on no commit can claim them.
      if (begun.length > 0) await notes.updateMany({ _id: { $in: begun } }, { $set: { spent: true } });
      // Read by majority and after the removal's commit: of two who remove the last two messages of a mail side by
      // side, whoever looks later sees neither.
      const kept = await messages
        .find({ mailId: { $in: mailIds } }, { projection: { mailId: 1 } })
        .map((row) => row.mailId)
        .toArray();
      const alive = new Set(kept);
      const dead = noted.map(({ _id }) => _id).filter((id) => !alive.has(id));
      if (dead.length > 0) {
        await Promise.all([bodies.remove(dead), largeContents.remove(dead)]);
      }
      // A note that was made anew meanwhile stays for whoever made it.
      const seen = noted.map(({ _id, marks }) => ({ deleteOne: { filter: { _id, marks } } }));
      if (seen.length > 0) await notes.bulkWrite(seen, { ordered: false });
      return dead.length;
    },
    async find(olderThan, limit) {
      const found = notes.find({ $or: [{ spent: true }, { spent: false, begunAt: { $lt: olderThan } }] });
      return found
        .limit(limit)
        .map(({ _id }) => _id)
        .toArray();
    },
  };
}
