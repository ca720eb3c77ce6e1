import assert from 'node:assert/strict';
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
  await auditLog.record([entry(owner, 1), entry(owner, 2, { remoteAddress: '192.0.2.1' }), entry(other, 3)]);
  await auditLog.record([]);
  await auditLog.record([entry(owner, 4)]);
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

onEachStore('old entries are removed, and those of a team beyond its newest', async ({ store, owner }) => {
  const other = await newUser(store, 'other@team.test');
  const { auditLog } = store;
  await auditLog.record([1, 2, 3, 4, 5, 6].map((second) => entry(owner, second)));
  await auditLog.record([1, 2, 3].map((second) => entry(other, second)));
  const seconds = async (team: number) =>
    (await auditLog.list(team, wholePage)).items.map((one) => one.at.getUTCSeconds());
  assert.equal(await auditLog.prune(at(0), 100, 100), 0);
  assert.equal(await auditLog.prune(at(2), 100, 1), 1, 'one at a time');
  assert.equal(await auditLog.prune(at(2), 100, 100), 1);
  assert.deepEqual(await seconds(owner), [6, 5, 4, 3, 2]);
  assert.equal(await auditLog.prune(at(2), 3, 1), 1);
  while ((await auditLog.prune(at(2), 3, 1)) > 0);
  assert.deepEqual(await seconds(owner), [6, 5, 4]);
  assert.deepEqual(await seconds(other), [3, 2], 'another team keeps its own');
});

onEachStore('a team that is deleted or unknown gets no entry', async ({ store, owner }) => {
  const team = await store.teams.insert({ name: 'x', kind: 'shared', founder: owner, createdAt: at(0) });
  assert.ok(team);
  await store.auditLog.record([entry(team.id, 1)]);
  await store.teams.softDelete(team.id, at(2));
  await store.auditLog.record([entry(team.id, 3), entry(owner, 3), entry(4711, 3)]);
  assert.deepEqual(await store.teams.clearDeleted(100), []);
  await store.teams.clearDeleted(100);
  await store.auditLog.record([entry(team.id, 4)]);
  assert.equal((await store.auditLog.list(team.id, wholePage)).total, 0);
  assert.equal((await store.auditLog.list(4711, wholePage)).total, 0);
  assert.equal((await store.auditLog.list(owner, wholePage)).total, 1);
});
