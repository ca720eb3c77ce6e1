import { setTimeout as pause } from 'node:timers/promises';
import { type ClientSession, MongoError } from 'mongodb';
import { translated } from '#core/adapters/stores/mongo/errors.ts';
import { StoreUnavailable } from '#core/errors.ts';

/** Between two tries to reach the server, ms. */
const retryMs = 100;

/**
 * Commits, and sends that again, which is safe, where the answer did not come. `deadline` as `performance.now()` gives it:
 * what is not known by then may have been committed, or not.
 */
export async function commitDurably(session: ClientSession, deadline: number): Promise<void> {
  for (;;) {
    try {
      return await session.commitTransaction();
    } catch (error) {
      if (!isUnknown(error) || performance.now() + retryMs > deadline) throw error;
      await pause(retryMs);
    }
  }
}

/** Whether the transaction may have been committed, or not: that it was not bears the other label. */
function isUnknown(error: unknown): boolean {
  if (error instanceof MongoError && error.hasErrorLabel('TransientTransactionError')) return false;
  return translated(error) instanceof StoreUnavailable;
}
