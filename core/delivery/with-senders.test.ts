import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Sender, senderKeys } from '#core/messages/sender.ts';
import { keysOf, traitTest, withKeys } from '#core/messages/traits.ts';
import type { DeliveryStore, PreparedMail } from './delivery.ts';
import { withSenders } from './with-senders.ts';

const sender: Sender = { namespace: 'shop', pod: 'web-1', workload: 'Deployment/web' };

/** Commits an email to two accounts through a table that contains one address. Returns the targets that the store received. */
async function commit(envelope: { helo: string | null; remoteAddress: string | null }) {
  let stored: PreparedMail[] = [];
  const store = {
    async commit(mails: PreparedMail[]) {
      stored = mails;
      return mails.map(() => ({ ids: [], commits: [] }));
    },
  } as unknown as DeliveryStore;
  const find = async (address: string) => (address === '10.0.0.7' ? sender : null);
  const keys = keysOf(['qa@app.test'], ['red'], null);
  const target = { envelope, keys, traits: withKeys(1, keys) };
  await withSenders(store, { find }).commit([{ targets: [target, target] } as unknown as PreparedMail]);
  return stored.flatMap(({ targets }) => targets);
}

test('a mail that comes by SMTP from the address of a pod names it in each message, and is found by it', async () => {
  const targets = await commit({ helo: '', remoteAddress: '10.0.0.7' });
  assert.equal(targets.length, 2);
  for (const { envelope, keys, traits } of targets) {
    assert.deepEqual(envelope.sender, sender);
    assert.deepEqual(keys, ['a:qa@app.test', 't:red', ...senderKeys(sender)]);
    assert.equal(traits % 2 ** 28, 1);
    const { set = [] } = traitTest({ field: 'pod', value: 'web-1', typed: '' }) ?? {};
    assert.ok(set.length > 0 && set.every((bit) => Math.floor(traits / 2 ** bit) % 2 === 1));
  }
});

const others: [string, { helo: string | null; remoteAddress: string | null }][] = [
  ['another address', { helo: 'app', remoteAddress: '10.0.0.8' }],
  ['a request, which may have come by a proxy', { helo: null, remoteAddress: '10.0.0.7' }],
  ['this program', { helo: null, remoteAddress: null }],
];
for (const [from, envelope] of others)
  test(`a mail from ${from} names nobody`, async () => {
    const [target] = await commit(envelope);
    assert.deepEqual(target?.envelope, envelope);
    assert.deepEqual(target?.keys, ['a:qa@app.test', 't:red']);
  });

test('a workload has a key with its kind, and one without', () => {
  assert.deepEqual(senderKeys(sender), ['n:shop', 'p:web-1', 'w:deployment/web', 'w:web']);
  assert.deepEqual(senderKeys({ ...sender, workload: null }), ['n:shop', 'p:web-1']);
});
