import type { MongoClient } from 'mongodb';
import type { Collections } from '#adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';
import type { Reader } from '#core/store.ts';

/**
 * Reads a value, and returns it with its size in bytes and whether it is still valid. The value may be as old as `notBefore`, a time by
 * `performance.now()`. Default: the time of the call. `outlivesMail`: deliveries do not change the value.
 */
export type Reading<T> = {
  outlivesMail?: boolean;
  read(): Promise<T>;
  bytes(value: T): number;
  isFresh(value: T): boolean;
  notBefore?: number | undefined;
};

/** Returns a team's cached value under `name`, or reads it. Callers must not change the value. */
export type CachedRead = <T>(owner: Id, name: string, reading: Reading<T>) => Promise<T>;

/** Maximum bytes of all entries. The least recently used entry is dropped first. */
const mostBytes = 16 * 1024 * 1024;
/** Approximate bytes of an entry in addition to its value. */
const entryBytes = 500;
/** Maximum number of teams whose latest probe is kept. */
const mostProbes = 10_000;

/** Counts of a team's transactions (`TeamVersionRow`), and when the read of these counts started. */
type Probe = { version: number; changes: number; begun: number };

type Entry = { version: number; value: Promise<unknown>; bytes: number };

/**
 * Caches teams' values. An entry is valid while the team's version is unchanged: every change that a team can see is made under the
 * team's lock (`team-lock.ts`), which increases the version. One small read of the version, started after the request, reveals changes by
 * any process, and serves all earlier requests.
 */
export function createReadCache(
  client: MongoClient,
  { teamVersions }: Pick<Collections, 'teamVersions'>,
): CachedRead {
  const entries = new Map<string, Entry>();
  let bytes = 0;
  let primaries = 0;
  const probes = new Map<Id, Probe>();
  const probe = createBatchLoader(async (owners: Id[]) => {
    const begun = performance.now();
    const options = { projection: { version: 1, changes: 1 } } as const;
    const rows = await teamVersions.find({ _id: { $in: owners } }, options).toArray();
    return new Map(rows.map(({ _id, version, changes }) => [_id, { version, changes, begun }]));
  });
  const none = { version: 0, changes: 0 };
  const countsOf = async (owner: Id, notBefore: number): Promise<Omit<Probe, 'begun'>> => {
    const latest = probes.get(owner);
    if (latest !== undefined && latest.begun >= notBefore) return latest;
    const primary = primaries;
    const found = await probe(owner);
    if (found === null) return none;
    if (probes.size >= mostProbes) probes.clear();
    if (primary === primaries) probes.set(owner, found);
    return found;
  };
  // A new primary may briefly lack some of the old primary's data, so version and rows must come from the same primary.
  client.on('topologyDescriptionChanged', () => {
    primaries += 1;
    entries.clear();
    probes.clear();
    bytes = 0;
  });

  const forget = (key: string, entry: Entry): void => {
    if (entries.get(key) !== entry) return;
    entries.delete(key);
    bytes -= entry.bytes;
  };
  /** Counts an entry's bytes, and makes it the most recently used. */
  const keep = (key: string, entry: Entry, size: number): void => {
    if (entries.get(key) !== entry) return;
    entries.delete(key);
    entries.set(key, entry);
    bytes += size - entry.bytes;
    entry.bytes = size;
    for (const [oldest, old] of entries) {
      if (bytes <= mostBytes) return;
      forget(oldest, old);
    }
  };

  return async <T>(
    owner: Id,
    name: string,
    { read, bytes: bytesOf, isFresh, outlivesMail, notBefore = performance.now() }: Reading<T>,
  ): Promise<T> => {
    const primary = primaries;
    const counts = await countsOf(owner, notBefore);
    const version = outlivesMail ? counts.changes : counts.version;
    const key = `${owner} ${name}`;
    const known = entries.get(key);
    if (known?.version === version) {
      const value = await (known.value as Promise<T>).catch(() => undefined);
      if (value !== undefined && isFresh(value)) {
        keep(key, known, known.bytes);
        return value;
      }
    }
    // The value is read after the version: the next probe reveals a change that occurs in between.
    const entry: Entry = { version, value: read(), bytes: 0 };
    const replaced = entries.get(key);
    if (replaced !== undefined) forget(key, replaced);
    entries.set(key, entry);
    try {
      const value = (await entry.value) as T;
      if (primary === primaries) keep(key, entry, bytesOf(value) + entryBytes);
      else forget(key, entry);
      return value;
    } catch (error) {
      forget(key, entry);
      throw error;
    }
  };
}

type Waiter<V> = { resolve(value: V | null): void; reject(error: unknown): void };

/**
 * Batch loader. Collects the keys that are requested during a read, and loads them with one further read. Batches grow with load, and a
 * key does not wait if no read is in progress. Each value is read after it is requested. A key that `read` omits has the value null.
 */
export function createBatchLoader<K, V>(
  read: (keys: K[]) => Promise<Map<K, V>>,
): (key: K) => Promise<V | null> {
  let waiting = new Map<K, Waiter<V>[]>();
  let busy = false;

  const readAll = async (): Promise<void> => {
    while (waiting.size > 0) {
      const batch = waiting;
      waiting = new Map();
      await read([...batch.keys()]).then(
        (found) => {
          for (const [key, waiters] of batch)
            for (const { resolve } of waiters) resolve(found.get(key) ?? null);
        },
        (error) => {
          for (const waiters of batch.values()) for (const { reject } of waiters) reject(error);
        },
      );
    }
    busy = false;
  };

  return (key) =>
    new Promise((resolve, reject) => {
      const waiters = waiting.get(key);
      if (waiters === undefined) waiting.set(key, [{ resolve, reject }]);
      else waiters.push({ resolve, reject });
      if (busy) return;
      busy = true;
      // Collects the requests from the same turn of the event loop.
      setImmediate(readAll);
    });
}

/** Function with an additional argument: the oldest time of its result (`Reading.notBefore`). */
type Dated<F> = F extends (...terms: infer Terms) => infer Result
  ? (...terms: [...Terms, notBefore?: number]) => Result
  : never;

/** Reads that the read cache answers. If no time is given, a result shows the state when the read is called. */
export type DatedReads = {
  [Port in keyof Reader]: { [Method in keyof Reader[Port]]: Dated<Reader[Port][Method]> };
};

/** Creates a request's reader: one read of the team's version, started after this call, serves all of the reader's reads. */
export function createReader({ apiKeys, sessions, mailboxes, messages, teams }: DatedReads): Reader {
  const begun = performance.now();
  return {
    apiKeys: { findByHash: (hash) => apiKeys.findByHash(hash, begun) },
    sessions: { find: (hash, now) => sessions.find(hash, now, begun) },
    mailboxes: { find: (owner, accountId, id) => mailboxes.find(owner, accountId, id, begun) },
    messages: {
      find: (owner, id, visibility) => messages.find(owner, id, visibility, begun),
      list: (owner, filter, page, visibility, search) =>
        messages.list(owner, filter, page, visibility, search, begun),
    },
    teams: { find: (by) => teams.find(by), roleOf: (team, user) => teams.roleOf(team, user, begun) },
  };
}
