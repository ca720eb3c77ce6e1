import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Invalid, NotFound, SharesForbidden } from '#core/errors.ts';
import { addShare, endShare } from './change-shares.ts';

const now = new Date(1000);
const user = { id: 7, email: 'ada@app.test', disabledAt: null };
const team = {
  id: 3,
  name: 'Checkout',
  kind: 'shared',
  createdAt: new Date(0),
  allowsShares: true,
  clients: null,
} as const;
const facts = {
  newShare: 9,
  team,
  user,
  member: { grants: [], joinedAt: now },
  shares: { live: 1, gone: [] },
};
const given = {
  ...{ team: 3, user: 7, messageId: 5, accountId: null, name: 'Welcome' },
  ...{ expiresAt: new Date(2000), now, hash: 'h', most: 2 },
};

for (const [why, other, error] of [
  ['of an unknown team', { team: null }, NotFound],
  ['by somebody who has left the team', { member: null }, NotFound],
  ['by a disabled user', { user: { ...user, disabledAt: now } }, NotFound],
  ['in a team that forbids it', { team: { ...team, allowsShares: false } }, SharesForbidden],
  ['beyond the quota', { shares: { live: 2, gone: [] } }, Invalid],
] as const) {
  test(`a link ${why} is not made`, () => {
    assert.throws(() => addShare.plan({ ...facts, ...other } as never, given), error);
  });
}

test('a link is made, and revoked', () => {
  const share = {
    ...{ id: 9, team: 3, messageId: 5, accountId: null, name: 'Welcome', createdBy: 7 },
    ...{ createdAt: now, expiresAt: new Date(2000), openedAt: null },
  };
  const plan = addShare.plan(facts as never, given);
  assert.deepEqual(plan, { writes: [{ do: 'add-share', share, hash: 'h' }], result: share });
  const { writes } = addShare.plan({ ...facts, shares: { live: 1, gone: [4] } } as never, given);
  assert.deepEqual(writes[0], { do: 'end-shares', where: { ids: [4] } });
  const { user: _, ...byKey } = given;
  const alone = { ...facts, user: null, member: null };
  assert.equal(addShare.plan(alone as never, byKey).result.createdBy, null);
  const place = { team: 3, share: 9, now };
  assert.deepEqual(endShare.plan({ share } as never, place).writes, [
    { do: 'end-shares', where: { ids: [9] } },
  ]);
  assert.throws(() => endShare.plan({ share: null } as never, place), NotFound);
});
