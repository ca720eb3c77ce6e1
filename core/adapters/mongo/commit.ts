import { setTimeout as pause } from 'node:timers/promises';
import { type ClientSession, type MongoClient, MongoError } from 'mongodb';
import { StoreUnavailable } from '#core/errors.ts';
import { translated } from './errors.ts';

/** Between two tries to reach the server, ms. */
const retryMs = 100;

/**
 * Commits on the primary alone: others see it, and a next transaction may build on it, but a failover may still undo
 * both. Nobody is to be told before `confirmCommit`. `deadline` as `performance.now()` gives it.
 */
export async function commitBriefly(session: ClientSession, deadline: number): Promise<void> {
  await untilKnown(deadline, () => session.commitTransaction());
}

/**
 * Waits until a committed transaction is in the journals of a majority: a repeated commit does nothing but that. Throws
 * NoSuchTransaction (which passes) where a new primary never had it.
 */
export async function confirmCommit(
  client: MongoClient,
  session: ClientSession,
  deadline: number,
): Promise<void> {
  const admin = client.db('admin');
  await untilKnown(deadline, async () => {
    const wtimeout = Math.max(1, Math.ceil(deadline - performance.now()));
    const writeConcern = { w: 'majority', j: true, wtimeout };
    const answer = await admin.command({ commitTransaction: 1, writeConcern }, { session });
    if (answer.writeConcernError !== undefined) {
      throw new StoreUnavailable('MongoDB did not make a commit durable', {
        cause: answer.writeConcernError,
      });
    }
  });
}

/** Sends a commit again, which is safe, where the answer did not come. */
async function untilKnown(deadline: number, send: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await send();
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
