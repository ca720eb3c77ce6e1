import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { createMetrics } from '#telemetry/metrics.ts';
import { createMeasurement } from './measure.ts';

test('accounts are read at most every 15 s, and never for a process that does not lead', async (t) => {
  let now = 1000;
  t.after(() => mock.restoreAll());
  mock.method(performance, 'now', () => now);
  let [reads, isLeading] = [0, true];
  const metrics = createMetrics();
  const rows = {
    async read() {
      reads += 1;
      const mailboxes = [{ total: 10 }, { total: reads }];
      return [{ managedBy: 'namespace/qa/mail', usedBytes: reads, storageLimit: 9, mailboxes }];
    },
  } as never;
  const measure = createMeasurement({ rows, metrics }, { all: () => [] }, () => isLeading);
  const messages = async () => (await metrics.tenantMessages.get()).values.map(({ value }) => value);
  const bytes = async () => (await metrics.tenantBytes.get()).values.map(({ value }) => value);
  await measure();
  now += 14_999;
  await measure();
  assert.deepEqual([reads, await bytes()], [1, [1]]);
  now += 1;
  await measure();
  assert.deepEqual([reads, await bytes()], [2, [2]]);
  assert.deepEqual(await messages(), [12]);
  isLeading = false;
  await measure();
  assert.deepEqual([reads, await bytes()], [2, []]);
  isLeading = true;
  await measure();
  assert.deepEqual([reads, await bytes()], [3, [3]], 'at once in the next term');
});
