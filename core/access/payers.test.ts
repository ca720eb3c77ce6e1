import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreUnavailable } from '#core/errors.ts';
import { Payers } from './payers.ts';
import type { Role } from './role.ts';

const member = (userId: number, role: Role, joined: number) => {
  return { userId, role, joinedAt: new Date(joined) };
};

/** Members by team. No store answers for other teams. */
const teams = new Map<number, ReturnType<typeof member>[]>([
  [1, [member(1, 'owner', 0)]],
  [2, [member(1, 'owner', 20), member(3, 'member', 0), member(4, 'owner', 10)]],
  [5, [member(1, 'viewer', 0)]],
]);

function payersOf() {
  const reads: number[] = [];
  const payers = new Payers(async (team) => {
    reads.push(team);
    const items = teams.get(team);
    if (items === undefined) throw new StoreUnavailable('away');
    return { items, total: items.length };
  });
  return { payers, reads };
}

test('the owner who joined first pays, and a team without an owner for itself', async () => {
  const { payers, reads } = payersOf();
  assert.deepEqual(await Promise.all([1, 2, 5, 2].map((team) => payers.of(team))), [1, 4, 5, 4]);
  assert.equal(await payers.of(2), 4);
  assert.deepEqual(reads, [1, 2, 5], 'each is read once');
});

test('a team pays for itself until it has been read, and while the store is away', async () => {
  const { payers, reads } = payersOf();
  assert.equal(payers.known(2), 2);
  await payers.of(2);
  assert.equal(payers.known(2), 4);
  assert.equal(await payers.of(7), 7);
  assert.equal(await payers.of(7), 7);
  assert.deepEqual(reads, [2, 7, 7], 'a read that failed is repeated');
});

test('a payer is read again after some minutes, without a wait', async (context) => {
  let now = 0;
  context.mock.method(performance, 'now', () => now);
  const { payers, reads } = payersOf();
  await payers.of(2);
  now = 301_000;
  assert.equal(payers.known(2), 4);
  await payers.of(2);
  assert.deepEqual(reads, [2, 2]);
});
