import assert from 'node:assert/strict';
import { trimEvery } from '#core/teams/audit-log.ts';
import { newUser, onEachStore, wholePage } from './scene.ts';

const at = (second: number) => new Date(Date.UTC(2026, 10, 21, 10, 0, second));
const entry = (team: number, second: number, words: { remoteAddress?: string } = {}) => ({
  team,
  at: at(second),
  actor: 'ada@team.test',
  action: 'domain.deleted' as const,
  target: `d${second}.test`,
  remoteAddress: null,
  ...words,
});

onEachStore('entries are listed for their team alone, the newest first', async ({ store, owner }) => {
  const other = await newUser(store, 'other@team.test');
  const { auditLog } = store;
  await auditLog.record(
    [entry(owner, 1), entry(owner, 2, { remoteAddress: '192.0.2.1' }), entry(other, 3)],
    100,
  );
  await auditLog.record([], 100);
  await auditLog.record([entry(owner, 4)], 100);
  const { items, total } = await auditLog.list(owner, wholePage);
  assert.equal(total, 3);
  assert.equal(new Set(items.map(({ id }) => id)).size, 3);
  assert.deepEqual(
    items.map(({ id: _, ...rest }) => rest),
    [entry(owner, 4), entry(owner, 2, { remoteAddress: '192.0.2.1' }), entry(owner, 1)],
  );
  assert.deepEqual(await auditLog.list(owner, { page: 2, limit: 1 }), { items: [items[1]], total: 3 });
  assert.deepEqual((await auditLog.list(other, wholePage)).items.length, 1);
});

onEachStore('old entries are removed', async ({ store, owner }) => {
  const { auditLog } = store;
  await auditLog.record(
    [1, 2, 3, 4].map((second) => entry(owner, second)),
    100,
  );
  assert.equal(await auditLog.prune(at(1), 100), 0);
  assert.equal(await auditLog.prune(at(3), 1), 1, 'one at a time');
  assert.equal(await auditLog.prune(at(3), 100), 1);
  const { items } = await auditLog.list(owner, wholePage);
  assert.deepEqual(
    items.map((one) => one.at.getUTCSeconds()),
    [4, 3],
  );
});

onEachStore('a log that grows keeps the newest entries, and that of another team all', async (scene) => {
  const { store, owner } = scene;
  const other = await newUser(store, 'other@team.test');
  const { auditLog } = store;
  await auditLog.record([entry(other, 1), entry(other, 2)], 3);
  for (let second = 0; second < 4 * trimEvery; second += 1) await auditLog.record([entry(owner, second)], 3);
  const { items, total } = await auditLog.list(owner, wholePage);
  assert.ok(total < trimEvery + 3, `${total} entries`);
  assert.deepEqual(items[0]?.at, at(4 * trimEvery - 1));
  assert.equal((await auditLog.list(other, wholePage)).total, 2);
});

onEachStore('a team that is deleted or unknown gets no entry', async ({ store, owner }) => {
  const team = await store.teams.insert({ name: 'x', kind: 'shared', founder: owner, createdAt: at(0) });
  assert.ok(team);
  await store.auditLog.record([entry(team.id, 1)], 100);
  await store.teams.softDelete(team.id, at(2));
  await store.auditLog.record([entry(team.id, 3), entry(owner, 3), entry(4711, 3)], 100);
  assert.deepEqual(await store.teams.clearDeleted(100), []);
  await store.teams.clearDeleted(100);
  await store.auditLog.record([entry(team.id, 4)], 100);
  assert.equal((await store.auditLog.list(team.id, wholePage)).total, 0);
  assert.equal((await store.auditLog.list(4711, wholePage)).total, 0);
  assert.equal((await store.auditLog.list(owner, wholePage)).total, 1);
});
