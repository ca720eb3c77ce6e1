import type { MongoClient } from 'mongodb';
import type { Collections } from '#core/adapters/stores/mongo/schema/collections.ts';
import type { Id } from '#core/ids.ts';
import { createGather } from './gather.ts';

/**
 * What is read of a user: how, about how many bytes it has, and whether it is still good, time aside from changes.
 * `asked` is when the question came, by `performance.now()`; without it, at the call.
 */
export type Reading<T> = {
  read(): Promise<T>;
  bytes(value: T): number;
  holds(value: T): boolean;
  asked?: number | undefined;
};

/**
 * Gives what is remembered of a user under `name`, or what is read now, as of the question. Nobody may change what it
 * gives.
 */
export type Recall = <T>(owner: Id, name: string, reading: Reading<T>) => Promise<T>;

/** Bytes that are remembered in all; what was asked for longest ago is forgotten first. */
const mostBytes = 16 * 1024 * 1024;
/** What an entry takes beside its value, about. */
const entryBytes = 500;
/** Users of whom the latest look at the head is remembered. */
const mostLooks = 10_000;

/** A reading of a head, and when it began. */
type Look = { turns: number; begun: number };

type Entry = { turns: number; value: Promise<unknown>; bytes: number };

/**
 * Remembers what was read of users for as long as nothing of theirs changed. Every change of what a user sees is made in
 * a turn (`transactions.ts`), which their head counts: one small read of the head, begun after the question, tells
 * whether there was one since, whichever process made it. It tells so to all questions that were asked before it.
 */
export function createUserMemory(client: MongoClient, { heads }: Pick<Collections, 'heads'>): Recall {
  const entries = new Map<string, Entry>();
  let bytes = 0;
  let primaries = 0;
  const looks = new Map<Id, Look>();
  const look = createGather(async (owners: Id[]) => {
    const begun = performance.now();
    const rows = await heads.find({ _id: { $in: owners } }, { projection: { turns: 1 } }).toArray();
    return new Map(rows.map(({ _id, turns }) => [_id, { turns, begun }]));
  });
  const turnsOf = async (owner: Id, asked: number): Promise<number> => {
    const latest = looks.get(owner);
    if (latest !== undefined && latest.begun >= asked) return latest.turns;
    const primary = primaries;
    const found = await look(owner);
    if (found === null) return 0;
    if (looks.size >= mostLooks) looks.clear();
    if (primary === primaries) looks.set(owner, found);
    return found.turns;
  };
  // A new primary may for a moment show less than the old one did: head and rows must come from the same one.
  client.on('topologyDescriptionChanged', () => {
    primaries += 1;
    entries.clear();
    looks.clear();
    bytes = 0;
  });

  const forget = (key: string, entry: Entry): void => {
    if (entries.get(key) !== entry) return;
    entries.delete(key);
    bytes -= entry.bytes;
  };
  /** Counts what was read, and makes it the last to be forgotten. */
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
    { read, bytes: bytesOf, holds, asked = performance.now() }: Reading<T>,
  ): Promise<T> => {
    const primary = primaries;
    const turns = await turnsOf(owner, asked);
    const key = `${owner} ${name}`;
    const known = entries.get(key);
    if (known?.turns === turns) {
      const value = await (known.value as Promise<T>).catch(() => undefined);
      if (value !== undefined && holds(value)) {
        keep(key, known, known.bytes);
        return value;
      }
    }
    // Read after the head: a turn that comes between is seen at the next look at the head.
    const entry: Entry = { turns, value: read(), bytes: 0 };
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
