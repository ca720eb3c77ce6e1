import {
  MongoBulkWriteError,
  MongoError,
  MongoNetworkError,
  MongoNotConnectedError,
  MongoOperationTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoTopologyClosedError,
} from 'mongodb';
import { StoreFull, StoreUnavailable } from '#core/errors.ts';

/** Server error codes (MongoDB's error_codes.yml) that the store reads. */
const duplicateKey = 11000;
const maxTimeExpired = 50;
const outOfDiskSpace = 14031;
const interrupted = 11601;
const passing = new Set([
  ...[6, 7, 89, 9001], // host unreachable, host not found, network timeout, socket exception
  ...[91, 189, 10107, 11600, 11602, 13435, 13436], // shutting down, stepping down, no primary
  ...[64, 100, 133, 134, 202, 262, 365], // write concern failed, no member fits, deadline exceeded, reads not ready
  ...[interrupted, 112, 24, 251, 225, 290, 239, 246], // write conflict, lock timeout, transaction or snapshot gone or too old
]);

/** What a socket fails with when its server goes. The driver (7.8) gives these as they are while it waits to write. */
const ofSockets = new Set(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH']);

/** What a caller should see: trouble with the connection or the server, which passes, is StoreUnavailable. */
export function translated(thrown: unknown): unknown {
  const error = unwrapped(thrown);
  if (!(error instanceof MongoError)) {
    return isOfSocket(error) ? new StoreUnavailable('MongoDB went away', { cause: error }) : thrown;
  }
  if (error.code === outOfDiskSpace) return new StoreFull('the disk of MongoDB is full', { cause: error });
  return isPassing(error) ? new StoreUnavailable('MongoDB does not answer', { cause: error }) : thrown;
}

/** A write of many rows hides the connection's error in one of its own, which bears none of its marks. */
function unwrapped(error: unknown): unknown {
  const inner: unknown = error instanceof MongoBulkWriteError ? error.errorResponse : null;
  return inner instanceof Error ? inner : error;
}

function isOfSocket(error: unknown): boolean {
  return error instanceof Error && 'code' in error && ofSockets.has(String(error.code));
}

function isPassing(error: MongoError): boolean {
  return (
    error instanceof MongoNetworkError ||
    error instanceof MongoServerSelectionError ||
    error instanceof MongoOperationTimeoutError ||
    error instanceof MongoNotConnectedError ||
    error instanceof MongoTopologyClosedError ||
    error.hasErrorLabel('TransientTransactionError') ||
    error.hasErrorLabel('UnknownTransactionCommitResult') ||
    error.hasErrorLabel('RetryableWriteError') ||
    passing.has(Number(error.code))
  );
}

/** Whether a unique index refused a write; `field` is one of the index's. */
export function isDuplicate(error: unknown, field?: string): boolean {
  if (!(error instanceof MongoServerError) || error.code !== duplicateKey) return false;
  return field === undefined || field in (error.keyPattern ?? {});
}

/** Whether somebody ended an operation or its transaction (`abandoned.ts`), which bears no label of the server's. */
export function isInterrupted(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === interrupted;
}

/** Whether a query ran into its `maxTimeMS`. */
export function isTimeLimit(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === maxTimeExpired;
}

/** The port with each of its methods' errors translated, whether thrown or given by a promise. */
export function guarded<T extends object>(port: T): T {
  return new Proxy(port, {
    get(target, name, receiver) {
      const method = Reflect.get(target, name, receiver);
      return typeof method === 'function' ? guardedCall(method.bind(target)) : method;
    },
  });
}

function guardedCall(method: (...args: unknown[]) => unknown) {
  return (...args: unknown[]): unknown => {
    const result = method(...args);
    if (!(result instanceof Promise)) return result;
    return result.catch((error) => {
      throw translated(error);
    });
  };
}
