import type { DatabaseSync } from 'node:sqlite';
import { type SmallPorts, smallReads, smallWrites } from '#adapters/stores/rows/ports.ts';
import { bound, runSync } from '#adapters/stores/rows/steps.ts';
import { onThisThread, onThread } from '#adapters/stores/sqlite/workers/calls.ts';
import type { Thread } from '#adapters/threads/thread.ts';
import { rowDriver } from './driver.ts';

/** Returns the ports of small nouns: reads on the calling thread, writes in the `writer` thread. */
export function openSmallPorts(
  reader: DatabaseSync,
  writer: Thread,
): SmallPorts['reads'] & SmallPorts['writes'] {
  const run = rowDriver(reader);
  const ports: Record<string, object> = {};
  for (const [noun, methods] of Object.entries(smallReads))
    ports[noun] = onThisThread(bound(methods, (steps) => runSync(steps, run)));
  for (const [noun, methods] of Object.entries(smallWrites))
    ports[noun] = { ...ports[noun], ...onThread(writer, noun, names(methods)) };
  return ports as SmallPorts['reads'] & SmallPorts['writes'];
}

const names = (methods: object) =>
  Object.fromEntries(Object.keys(methods).map((name) => [name, true as const]));

/** Returns the small nouns' writes, which run in the caller's transaction. */
export function smallPortWrites(db: DatabaseSync) {
  const run = rowDriver(db);
  return Object.fromEntries(
    Object.entries(smallWrites).map(([noun, methods]) => [
      noun,
      bound(methods, (steps) => runSync(steps, run)),
    ]),
  );
}
