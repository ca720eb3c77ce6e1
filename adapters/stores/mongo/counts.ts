import type { ClientSession } from 'mongodb';
import type { Counts } from '#core/accounts/room.ts';
import type { Id } from '#core/ids.ts';
import type { Context } from './context.ts';

/** Change of an account's used bytes. With `atMost`, an account that uses more is left unchanged. */
export type ByteChange = { id: Id; bytes: number; atMost?: number };

/**
 * Adds counts to mailboxes and bytes to accounts. False if an account was left unchanged: the caller then aborts the
 * transaction.
 */
export async function changeCounts(
  { collections: { accounts, mailboxes } }: Context,
  session: ClientSession,
  counts: Map<Id, Counts>,
  charges: ByteChange[],
): Promise<boolean> {
  if (counts.size === 0) return true;
  await mailboxes.bulkWrite(
    [...counts].map(([_id, own]) => ({ updateOne: { filter: { _id }, update: { $inc: own } } })),
    { session },
  );
  const { matchedCount } = await accounts.bulkWrite(
    charges.map(({ id: _id, bytes, atMost }) => {
      const room = atMost === undefined ? {} : { usedBytes: { $lte: atMost } };
      // Room that is made ends the mark of a full account.
      const unmarked = bytes > 0 ? {} : { $unset: { fullAt: '' } as const };
      return { updateOne: { filter: { _id, ...room }, update: { $inc: { usedBytes: bytes }, ...unmarked } } };
    }),
    { session },
  );
  return matchedCount === charges.length;
}
