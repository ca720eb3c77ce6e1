import type { MongoClient } from 'mongodb';
import type { Id } from '#core/ids.ts';
import type { Collections } from './collections.ts';
import { createGather } from './gather.ts';

/** What is read of a user: how, about how many bytes it has, and whether it is still good, time aside from changes. */
export type Reading<T> = { read(): Promise<T>; bytes(value: T): number; holds(value: T): boolean };

/** Gives what is remembered of a user under `name`, or what is read now. Nobody may change what it gives. */
export type Recall = <T>(owner: Id, name: string, reading: Reading<T>) => Promise<T>;

/** Bytes that are remembered in all; what was asked for longest ago is forgotten first. */
const mostBytes = 16 * 1024 * 1024;
/** What an entry takes beside its value, about. */
const entryBytes = 500;

type Entry = { turns: number; value: Promise<unknown>; bytes: number };

/**
 * Remembers what was read of users for as long as nothing of theirs changed. Every change of what a user sees is made in
 * a turn (`transactions.ts`), which their head counts: one small read of the head, begun after the question, tells
 * whether there was one since, whichever process made it.
 */
export function createUserMemory(client: MongoClient, { heads }: Pick<Collections, 'heads'>): Recall {
  const entries = new Map<string, Entry>();
  let bytes = 0;
  let primaries = 0;
  const turnsOf = createGather(async (owners: Id[]) => {
    const rows = await heads.find({ _id: { $in: owners } }, { projection: { turns: 1 } }).toArray();
    return new Map(rows.map(({ _id, turns }) => [_id, turns]));
  });
  // A new primary may for a moment show less than the old one did: head and rows must come from the same one.
  client.on('topologyDescriptionChanged', () => {
    primaries += 1;
    entries.clear();
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

  return async <T>(owner: Id, name: string, { read, bytes: bytesOf, holds }: Reading<T>): Promise<T> => {
    const primary = primaries;
    const turns = (await turnsOf(owner)) ?? 0;
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
