import assert from 'node:assert/strict';
import { test } from 'node:test';
import { assertUnharmed, measureHarm } from '#test/support/hostile/measure-harm.ts';
import { limitsReached } from '#test/support/program/limits-reached.ts';
import { scene } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const { program, user } = await scene({
  SANDPOST_MAX_STORAGE_LIMIT: '200000000',
  SANDPOST_MAX_DOMAINS: '5',
  SANDPOST_MAX_ACCOUNTS: '8',
});

const tooMuch = [200_000_001, Number.MAX_SAFE_INTEGER, 1e300, -1, 0.5, '1', null];

for (const limit of tooMuch) {
  test(`a storage limit of ${JSON.stringify(limit)} is refused`, async () => {
    const address = `full@${user.domain.domain}`;
    const answers = [
      await user.api.post('/api/accounts', { address, storage_limit: limit }),
      await user.api.patch(`/api/accounts/${user.account.id}`, { storage_limit: limit }),
    ];
    for (const { status, json } of answers) {
      assert.deepEqual([status, json.violations?.[0]?.field], [422, 'storage_limit']);
    }
  });
}

test('the largest storage limit is taken', async () => {
  const { storage_limit } = await ok(
    user.api.patch(`/api/accounts/${user.account.id}`, { storage_limit: 200_000_000 }),
  );
  assert.equal(storage_limit, 200_000_000);
});

test('domains, accounts and mailboxes end at their limits, and harm nobody on the way', async () => {
  const greedy = await createUser(program);
  const statuses: Record<string, number[]> = {};
  const post = async (path: string, body: unknown) => {
    const { status, json } = await greedy.api.post(path, body);
    if (status === 422) assert.equal(json.code, 'validation_failed');
    statuses[path] = [...(statuses[path] ?? []), status];
  };
  const mailboxes = `/api/accounts/${greedy.account.id}/mailboxes`;
  const many = (count: number, path: string, body: (index: number) => unknown) =>
    Promise.all(Array.from({ length: count }, (_, index) => post(path, body(index))));
  const harm = await measureHarm(program, await createUser(program), async () => {
    await many(30, '/api/domains', (index) => ({
      domain: `d${index}.${greedy.domain.domain.slice(0, 8)}.test`,
    }));
    await many(30, '/api/accounts', (index) => ({ address: `a${index}@${greedy.domain.domain}` }));
    for (let round = 0; round < 12; round += 1) {
      await many(10, mailboxes, (index) => ({ path: `box ${round} ${index}` }));
    }
  });
  const made = (path: string) => statuses[path]?.filter((status) => status === 200).length;
  const refused = (path: string) => statuses[path]?.filter((status) => status === 422).length;
  assert.deepEqual([made('/api/domains'), refused('/api/domains')], [4, 26]);
  assert.deepEqual([made('/api/accounts'), refused('/api/accounts')], [7, 23]);
  assert.deepEqual([made(mailboxes), refused(mailboxes)], [95, 25]);
  const reached = await limitsReached(program.opsPorts.api);
  const names = ['owned.domains', 'owned.accounts', 'owned.mailboxes'];
  assert.deepEqual(
    names.map((name) => reached.get(name)),
    [26, 23, 25],
  );
  assertUnharmed(harm);
});
