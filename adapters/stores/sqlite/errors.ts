import { NotFound, OverQuota, SearchTimeout, StoreFull, StoreUnavailable } from '#core/errors.ts';

/** Primary result codes of SQLite (sqlite.org/rescode.html) that concern the disk or the file, not a statement. */
const full = 13;
const unavailable = new Set([5, 6, 7, 8, 10, 11, 14, 26]);

/** Errors that keep their class from a thread to the caller. Any other arrives as a plain Error. */
const named = { NotFound, OverQuota, SearchTimeout, StoreFull, StoreUnavailable };

/** An error as a message between threads. */
export type SentError = { name: string; message: string };

/**
 * Translates errors of SQLite: StoreFull for a full disk, StoreUnavailable for a store that cannot be used. Returns any other
 * error unchanged.
 */
export function toCoreError(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'ERR_INVALID_STATE') return new StoreUnavailable('The store is closed');
  if (error.code !== 'ERR_SQLITE_ERROR' || !('errcode' in error)) return error;
  const primary = Number(error.errcode) & 0xff;
  if (primary === full) return new StoreFull('The disk of the store is full', { cause: error });
  if (unavailable.has(primary)) {
    return new StoreUnavailable(`The store cannot be used: ${error.message}`, { cause: error });
  }
  return error;
}

export function sendError(error: unknown): SentError {
  const known = toCoreError(error);
  return known instanceof Error
    ? { name: known.name, message: known.message }
    : { name: 'Error', message: String(known) };
}

export function receiveError({ name, message }: SentError): Error {
  const kind = Object.entries(named).find(([candidate]) => candidate === name)?.[1] ?? Error;
  return new kind(message);
}
