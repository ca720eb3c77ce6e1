import type { Turn } from '#core/adapters/stores/mongo/locking/transactions.ts';
import type { Id } from '#core/ids.ts';
import type { Context } from './context.ts';

/** Makes the mailboxes of these accounts invisible along with them. */
export async function buryMailboxes(
  { collections: { mailboxes } }: Context,
  { session }: Turn,
  accountIds: Id[],
): Promise<void> {
  await mailboxes.updateMany(
    { accountId: { $in: accountIds }, living: true },
    { $set: { living: false } },
    { session },
  );
}
