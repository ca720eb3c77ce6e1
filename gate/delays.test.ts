import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import { Delays } from './delays.ts';

test('a delay that would hold too much mail ends at once, and its bytes are free again behind the others', async () => {
  const reached: string[] = [];
  const delays = new Delays((name) => reached.push(name));
  const leave = new AbortController();
  const most = limits.mail.delayedBytes;
  const held = delays.wait(1, 60_000, leave.signal, most);
  await delays.wait(2, 60_000, undefined, 1);
  assert.deepEqual(reached, ['mail.delayedBytes']);
  leave.abort();
  await held;
  await delays.wait(2, 1, undefined, most);
  assert.deepEqual(reached, ['mail.delayedBytes']);
});
