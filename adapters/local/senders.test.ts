import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createLocalSenders } from './senders.ts';

test('a table that nobody writes is forgotten after 10 s', async (t) => {
  let now = 0;
  t.after(() => mock.restoreAll());
  mock.method(performance, 'now', () => now);
  const senders = createLocalSenders();
  const sender = { namespace: 'a', pod: 'x', workload: null };
  const table = new Map([['10.0.0.1', sender]]);
  await senders.write(table, null);
  now = 9999;
  assert.deepEqual(await senders.find('10.0.0.1'), sender);
  await senders.write(table, []);
  now = 19_998;
  assert.deepEqual(await senders.find('10.0.0.1'), sender);
  now = 19_999;
  assert.equal(await senders.find('10.0.0.1'), null);
});
