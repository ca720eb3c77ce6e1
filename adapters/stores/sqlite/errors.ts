import { Duplicate, StoreFull, StoreUnavailable } from '#core/errors.ts';

/** Primary result codes of SQLite (sqlite.org/rescode.html) that concern the disk or the file, not a statement. */
const full = 13;
const unavailable = new Set([5, 6, 7, 8, 10, 11, 14, 26]);

/** Extended result codes for a value that is in use. */
const taken = new Set([1555, 2067]);

/**
 * Translates errors of SQLite: StoreFull for a full disk, Duplicate for a unique value in use, StoreUnavailable for a store that
 * cannot be used. Returns any other error unchanged.
 */
export function toCoreError(error: unknown): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  if (error.code === 'ERR_INVALID_STATE') return new StoreUnavailable('The store is closed');
  if (error.code !== 'ERR_SQLITE_ERROR' || !('errcode' in error)) return error;
  if (taken.has(Number(error.errcode))) return new Duplicate(error.message, { cause: error });
  const primary = Number(error.errcode) & 0xff;
  if (primary === full) return new StoreFull("The store's disk is full", { cause: error });
  if (unavailable.has(primary)) {
    return new StoreUnavailable(`Sandpost cannot use the store: ${error.message}`, { cause: error });
  }
  return error;
}
