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
import { connectionFault } from '#adapters/connection-fault.ts';
import { StoreFull, StoreUnavailable } from '#core/errors.ts';

/** Server error codes (MongoDB's error_codes.yml) that the store handles. */
const duplicateKey = 11000;
const maxTimeExpired = 50;
const outOfDiskSpace = 14031;
const interrupted = 11601;
const unauthorized = 13;
const authenticationFailed = new Set([18, 8000]); // 8000 is Atlas' own
const passing = new Set([
  ...[6, 7, 89, 9001], // host unreachable, host not found, network timeout, socket exception
  ...[91, 189, 10107, 11600, 11602, 13435, 13436], // shutting down, stepping down, no primary
  ...[64, 100, 133, 134, 202, 262, 365], // write concern failed, no member fits, deadline exceeded, reads not ready
  ...[interrupted, 112, 24, 251, 225, 290, 239, 246], // write conflict, lock timeout, transaction or snapshot gone or too old
]);

/** Errors of a socket whose server has gone away. The driver (7.8) throws them unchanged if it was waiting to write. */
const ofSockets = new Set(['EPIPE', 'ECONNRESET', 'ECONNREFUSED', 'ETIMEDOUT', 'EHOSTUNREACH']);
/** Errors of the SRV lookup for `mongodb+srv:`, which the driver throws unchanged. */
const ofNames = new Set(['ENOTFOUND', 'ENODATA', 'ESERVFAIL', 'ETIMEOUT', 'EAI_AGAIN']);

/**
 * Returns the error for a caller: StoreUnavailable for a transient fault or a refused user, StoreFull for a full disk, and any other
 * error unchanged.
 */
export function translated(thrown: unknown): unknown {
  const error = unwrapped(thrown);
  const cause = { cause: error };
  if (!(error instanceof MongoError)) {
    if (hasCodeOf(error, ofSockets)) return new StoreUnavailable('the connection to MongoDB was lost', cause);
    return hasCodeOf(error, ofNames) ? new StoreUnavailable(unanswered(faultOf(error)), cause) : thrown;
  }
  const code = Number(error.code);
  if (code === outOfDiskSpace) return new StoreFull("MongoDB's disk is full", cause);
  if (code === unauthorized) return new StoreUnavailable(refusalOf(error), cause);
  if (authenticationFailed.has(code)) {
    return new StoreUnavailable(
      'MongoDB rejects the user or password in the URL; authSource may be missing',
      cause,
    );
  }
  if (!isPassing(error)) return thrown;
  const fault = error instanceof MongoServerSelectionError ? selectionFault(error) : null;
  return new StoreUnavailable(unanswered(fault), cause);
}

function unanswered(fault: string | null): string {
  return fault === null ? 'MongoDB is not responding' : `MongoDB is not responding: ${fault}`;
}

function faultOf(error: unknown): string | null {
  return connectionFault(error, 'tls=true in the URL');
}

/**
 * Returns the reason why no member was found: the faults of members, at most two different ones, or a wrong replica set. Null if the
 * reason is unknown.
 */
function selectionFault({ reason }: MongoServerSelectionError): string | null {
  if (reason === undefined) return null;
  const { setName, servers } = reason;
  // The driver forgets members that name another replica set.
  if (servers.size === 0 && setName !== null) {
    return `no server in the URL belongs to the replica set "${setName}" specified in replicaSet`;
  }
  const faults = [...servers.values()].flatMap(({ error }) => {
    if (error === null) return [];
    const closed = /^connection .* closed$/.test(error.message);
    return (
      faultOf(error) ??
      (closed ? 'the server closes the connection immediately: it may expect TLS (tls=true in the URL)' : [])
    );
  });
  const [first = null, second] = new Set(faults);
  if (first === null && servers.size > 0) return 'the replica set has no primary at the moment';
  return second === undefined ? first : `${first}; ${second}`;
}

/**
 * Returns the message for a missing privilege. The server's own message repeats the command with its documents, so only the names of the
 * command and the database are kept.
 */
function refusalOf({ message }: MongoError): string {
  const [, database, command] = /not authorized on (\S+) to execute command \{ (\w+)/.exec(message) ?? [];
  if (command === undefined) return 'MongoDB requires a user and a password: add them to the URL';
  return `the MongoDB user lacks permission to run ${command} on the database ${database}: grant it the readWrite role on that database`;
}

/** Unwraps a bulk write's error. The driver wraps a connection error in it, without the connection error's labels and code. */
function unwrapped(error: unknown): unknown {
  const inner: unknown = error instanceof MongoBulkWriteError ? error.errorResponse : null;
  return inner instanceof Error ? inner : error;
}

function hasCodeOf(error: unknown, codes: Set<string>): boolean {
  return error instanceof Error && 'code' in error && codes.has(String(error.code));
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

/** Checks whether a unique index refused a write. If `field` is given, the index must contain that field. */
export function isDuplicate(error: unknown, field?: string): boolean {
  if (!(error instanceof MongoServerError) || error.code !== duplicateKey) return false;
  return field === undefined || field in (error.keyPattern ?? {});
}

/** Checks whether somebody killed an operation or its transaction (`abandoned.ts`). The server adds no label to such an error. */
export function isInterrupted(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === interrupted;
}

/** Checks whether a query exceeded its `maxTimeMS`. */
export function isTimeLimit(error: unknown): boolean {
  return error instanceof MongoServerError && error.code === maxTimeExpired;
}

/** Wraps a port, and translates the errors with which its methods' promises reject. Leaves synchronous errors unchanged. */
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
