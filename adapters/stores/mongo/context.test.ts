import assert from 'node:assert/strict';
import { EventEmitter } from 'node:events';
import { test } from 'node:test';
import type { MongoClient } from 'mongodb';
import { createCaughtUp } from './context.ts';

/** Client without a server, and the writes that it received. */
function scene() {
  const client = new EventEmitter();
  const writes: PromiseWithResolvers<void>[] = [];
  const caughtUp = createCaughtUp(client as unknown as MongoClient, () => {
    writes.push(Promise.withResolvers());
    return writes.at(-1)?.promise ?? Promise.resolve();
  });
  return { caughtUp, writes, change: () => client.emit('topologyDescriptionChanged') };
}

test('reads wait for one write after each change of the topology', async () => {
  const { caughtUp, writes, change } = scene();
  const waiting = [caughtUp(), caughtUp()];
  assert.equal(writes.length, 1);
  writes[0]?.resolve();
  await Promise.all(waiting);
  await caughtUp();
  assert.equal(writes.length, 1);
  change();
  const behind = caughtUp();
  assert.equal(writes.length, 2);
  change();
  const next = caughtUp();
  assert.equal(writes.length, 3, 'a write to the primary before proves nothing');
  for (const { resolve } of writes) resolve();
  await Promise.all([behind, next]);
});

test('a write that fails rejects the reads that wait for it, and is made again', async () => {
  const { caughtUp, writes } = scene();
  const failing = caughtUp();
  writes[0]?.reject(new Error('no primary'));
  await assert.rejects(failing, /no primary/);
  const next = caughtUp();
  assert.equal(writes.length, 2);
  writes[1]?.resolve();
  await next;
});
