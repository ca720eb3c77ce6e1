import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { ok } from '#test/support/program/user.ts';

const { program, user } = await scene();
const domain: string = user.domain.domain;
await ok(user.api.post('/api/accounts', { address: `*@${domain}`, is_catch_all: true }));
for (const name of ['t1', 't11']) await ok(user.api.post('/api/accounts', { address: `${name}@${domain}` }));

/** Addresses that each contain another, or differ only in their tag. */
const kinds: [string, (index: number) => string][] = [
  ['of a catch-all', (index) => `run${index}`],
  ['with tags of one account', (index) => `${user.address.split('@')[0]}+${index}`],
  ['of accounts, one within another', (index) => ['t1', 't11', 't1+1', 't11+1'][index % 4] ?? ''],
];

for (const [kind, local] of kinds) {
  test(`twenty tests wait side by side, each for its own address: ${kind}`, async () => {
    const addresses = [...new Set(Array.from({ length: 20 }, (_, index) => `${local(index)}@${domain}`))];
    const waits = addresses.map((address) => {
      const q = encodeURIComponent(address.toUpperCase());
      return user.api.get(`/api/messages?address=${q}&wait=60&count=2`);
    });
    const sent = new Map(addresses.map((address): [string, number[]] => [address, []]));
    for (let round = 0; round < 2; round += 1) {
      for (const address of addresses) {
        sent.get(address)?.push(await deliverOne(program, { to: address, subject: 'the same for all' }));
      }
    }
    for (const [index, wait] of waits.entries()) {
      const { json, headers } = await wait;
      const ids = json.items.map(({ id }: { id: number }) => id).toReversed();
      assert.deepEqual(
        [headers['x-wait-result'], ids],
        ['met', sent.get(addresses[index] ?? '')],
        addresses[index],
      );
    }
  });
}

test('a mail for two addresses of one account is found by each, and the copy of another account by neither', async () => {
  const to = [`t1+a@${domain}`, `t1+b@${domain}`, `t11@${domain}`];
  const { cursor } = await ok(user.api.get('/api/messages'));
  await deliverOne(program, { to });
  for (const address of to) {
    const list = await ok(
      user.api.get(`/api/messages?since=${cursor}&q=address:${encodeURIComponent(address)}`),
    );
    assert.equal(list.pagination.total, 1, address);
  }
});
