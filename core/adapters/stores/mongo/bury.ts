import type { UserLock } from '#core/adapters/stores/mongo/locking/user-lock.ts';
import type { Id } from '#core/ids.ts';
import type { Context } from './context.ts';

/** Soft-deletes the mailboxes of accounts. */
export async function buryMailboxes(
  { collections: { mailboxes } }: Context,
  { session }: UserLock,
  accountIds: Id[],
): Promise<void> {
  await mailboxes.updateMany(
    { accountId: { $in: accountIds }, living: true },
    { $set: { living: false } },
    { session },
  );
}
