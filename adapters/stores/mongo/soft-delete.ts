import type { TeamLock } from '#adapters/stores/mongo/locking/team-lock.ts';
import { notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';
import type { Context } from './context.ts';

/** Soft-deletes the mailboxes of accounts. */
export async function softDeleteMailboxes(
  { collections: { mailboxes } }: Context,
  { session }: TeamLock,
  accountIds: Id[],
): Promise<void> {
  await mailboxes.updateMany(
    { accountId: { $in: accountIds }, ...notDeleted },
    { $set: { deleted: true } },
    { session },
  );
}
