import type { ClientSession, Filter } from 'mongodb';
import type { Context } from '#core/adapters/stores/mongo/context.ts';
import type { LooseBodyRow, MessageRow } from '#core/adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';

/**
 * Bodies without a message, each noted under its mail's id before it can be without: those that are written outside a
 * transaction, until their message's commits, and those that a removal may have left, until they are looked at.
 */
export type LooseBodies = {
  /** Notes a body that is about to be written. */
  begin(mailId: Id): Promise<void>;
  /** Takes the notes of bodies that get their message now; false where one is gone already. */
  claim(session: ClientSession, mailIds: Id[]): Promise<boolean>;
  /** Notes the bodies of messages that are removed now. */
  release(session: ClientSession, gone: Pick<MessageRow, '_id' | 'mailId' | 'siblings'>[]): Promise<void>;
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
      await notes.insertOne({ _id: mailId, begunAt: new Date(), spent: false, messages: [], marks: 1 });
    },
    async claim(session, mailIds) {
      const { deletedCount } = await notes.deleteMany({ _id: { $in: mailIds }, spent: false }, { session });
      return deletedCount === mailIds.length;
    },
    async release(session, gone) {
      const begunAt = new Date();
      const mails = new Map(gone.map(({ _id, mailId, siblings }) => [mailId, messagesOf(_id, siblings)]));
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
        // From here on no commit can claim them; what one has claimed before is noted no more.
        await notes.updateMany({ _id: { $in: mailIds }, spent: false }, { $set: { spent: true } });
        noted = await notes.find({ _id: { $in: mailIds } }).toArray();
      }
      // Read by majority and after the removal's commit: of two who remove the last two messages of a mail side by
      // side, whoever looks later sees neither.
      const kept = await messages
        .find(messagesOfAll(noted), { projection: { mailId: 1 } })
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

/** Finds the messages of noted bodies: by their ids, for only databases of earlier versions have an index of mails. */
function messagesOfAll(noted: LooseBodyRow[]): Filter<MessageRow> {
  const known = { _id: { $in: noted.flatMap(({ messages }) => messages ?? []) } };
  const untold = noted.filter(({ messages }) => !messages).map(({ _id }) => _id);
  return untold.length === 0 ? known : { $or: [known, { mailId: { $in: untold } }] };
}

/** The messages of a message's mail; null where its row does not tell. */
function messagesOf(id: Id, siblings: MessageRow['siblings']): Id[] | null {
  return siblings === undefined ? null : (siblings ?? [id]);
}
