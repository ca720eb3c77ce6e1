import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeliveryVerdict } from '#core/delivery/delivery.ts';
import { mail } from '#test/once/conformance/mail.ts';
import { withGroupCommit } from './group-commit.ts';

test('groups keep apart from those of other commits in their batch', async () => {
  const batches: (number | undefined)[][] = [];
  const opened = Promise.withResolvers<void>();
  const unused = () => assert.fail('not part of group commit');
  const { commit } = withGroupCommit(
    {
      lookUp: unused,
      writeBody: unused,
      async commitBatch(mails, over = () => {}) {
        batches.push(mails.map(({ group }) => group));
        over();
        return mails.map((): DeliveryVerdict => ({ ids: [], commits: [] }));
      },
    },
    { payers: { known: (team) => team }, batchKey: () => 'all', ready: () => opened.promise, paceMs: 0 },
  );
  const of = (...groups: (number | null)[]) =>
    groups.map((group) => ({ ...mail([]), ...(group !== null && { group }) }));
  const waiting = [commit(of(0, 1, 1, null)), commit(of(0)), commit(of(null, null), { wholly: true })];
  opened.resolve();
  await Promise.all(waiting);
  const [[first, second, third, none, other, whole, whole2] = [], ...more] = batches;
  assert.deepEqual(more, []);
  assert.deepEqual([second, whole, none], [third, whole2, undefined]);
  assert.equal(new Set([first, second, other, whole, undefined]).size, 5);
});
