import type { ArchiveStore, MessageFacts, Place } from '#core/archive/archive.ts';
import type { Id } from '#core/ids.ts';
import type { Context } from './context.ts';

/** Reads of an export that the other ports lack. */
export function createArchive({ collections }: Context): Pick<ArchiveStore, 'messages'> {
  const { messages } = collections;
  return {
    async messages(owner, wanted) {
      const order = { number: 1, _id: 1 } as const;
      const found =
        'after' in wanted
          ? messages
              .find({ owner, ...behind(wanted.after) })
              .sort(order)
              .limit(wanted.limit)
          : messages.find({ owner, ...factsOf(wanted.alike) });
      const rows = await found.project<{ _id: Id; number: number }>(order).toArray();
      return rows.map(({ _id: id, number }) => ({ number, id }));
    },
  };
}

function behind({ number, id }: Place) {
  return { number: { $gte: number }, $or: [{ number: { $gt: number } }, { _id: { $gt: id } }] };
}

/** Leaves out all but the facts, since a caller may give more. */
function factsOf({ mailboxId, receivedAt, sizeBytes }: MessageFacts): MessageFacts {
  return { mailboxId, receivedAt, sizeBytes };
}
