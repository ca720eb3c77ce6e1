import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TooMany } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { UserWrites } from './user-writes.ts';

test('running and waiting changes of a user are limited, and delay no other user', async () => {
  const reached: string[] = [];
  const writes = new UserWrites({ limitReached: (name) => reached.push(name) });
  const { promise: end, resolve } = Promise.withResolvers<void>();
  let begun = 0;
  const change = async () => {
    begun += 1;
    await end;
  };
  const { writesAtOnce, writes: most } = limits.http;
  const asked = Array.from({ length: writesAtOnce + most }, () => writes.run(1, change));
  await assert.rejects(writes.run(1, change), TooMany);
  assert.deepEqual(reached, ['http.writes']);
  assert.equal(begun, writesAtOnce);
  assert.equal(await writes.run(2, async () => 'done'), 'done');
  resolve();
  await Promise.all(asked);
  assert.equal(begun, writesAtOnce + most);
});
