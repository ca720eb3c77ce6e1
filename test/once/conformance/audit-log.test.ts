import assert from 'node:assert/strict';
import { trimEvery } from '#adapters/stores/rows/ports.ts';
import { clearAll, newUser, onEachStore, wholePage } from './scene.ts';

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
  const { auditLog, rows } = store;
  await auditLog.record([entry(owner, 1), entry(owner, 2, { remoteAddress: '192.0.2.1' }), entry(other, 3)], {
    most: 100,
    mostAnHour: 1000,
  });
  await auditLog.record([], { most: 100, mostAnHour: 1000 });
  await auditLog.record([entry(owner, 4)], { most: 100, mostAnHour: 1000 });
  const { items, total } = await rows.list('auditLog', { team: owner }, wholePage);
  assert.equal(total, 3);
  assert.equal(new Set(items.map(({ id }) => id)).size, 3);
  assert.deepEqual(
    items.map(({ id: _, ...rest }) => rest),
    [entry(owner, 4), entry(owner, 2, { remoteAddress: '192.0.2.1' }), entry(owner, 1)],
  );
  const second = await rows.list('auditLog', { team: owner }, { page: 2, limit: 1 });
  assert.deepEqual(second, { items: [items[1]], total: 3 });
  assert.deepEqual((await rows.list('auditLog', { team: other }, wholePage)).items.length, 1);
});

onEachStore('old entries are removed', async ({ store, owner }) => {
  const { auditLog, rows } = store;
  await auditLog.record(
    [1, 2, 3, 4].map((second) => entry(owner, second)),
    { most: 100, mostAnHour: 1000 },
  );
  const prune = async (before: Date, limit: number) => {
    await store.upkeep({ do: 'prune-audit-log', before }, limit);
    return (await rows.list('auditLog', { team: owner }, wholePage)).total;
  };
  assert.equal(await prune(at(1), 100), 4);
  assert.equal(await prune(at(3), 1), 3, 'one at a time');
  assert.equal(await prune(at(3), 100), 2);
  const { items } = await rows.list('auditLog', { team: owner }, wholePage);
  assert.deepEqual(
    items.map((one) => one.at.getUTCSeconds()),
    [4, 3],
  );
});

onEachStore(
  'a log that grows keeps the newest entries of its actor, and those of others all',
  async (scene) => {
    const { store, owner } = scene;
    const other = await newUser(store, 'other@team.test');
    const { auditLog, rows } = store;
    await auditLog.record([entry(other, 1), entry(other, 2)], { most: 3, mostAnHour: 1000 });
    for (let second = 0; second < 4 * trimEvery; second += 1)
      await auditLog.record([entry(owner, second)], { most: 3, mostAnHour: 1000 });
    const { items, total } = await rows.list('auditLog', { team: owner }, wholePage);
    assert.ok(total < trimEvery + 3, `${total} entries`);
    assert.deepEqual(items[0]?.at, at(4 * trimEvery - 1));
    assert.equal((await rows.list('auditLog', { team: other }, wholePage)).total, 2);
  },
);

onEachStore('a team that is deleted or unknown gets no entry', async ({ store, owner }) => {
  const team = await store.teams.insert({ name: 'x', kind: 'shared', founder: owner, createdAt: at(0) });
  assert.ok(team);
  await store.auditLog.record([entry(team.id, 1)], { most: 100, mostAnHour: 1000 });
  await store.teams.softDelete(team.id, at(2));
  await store.auditLog.record([entry(team.id, 3), entry(owner, 3), entry(4711, 3)], {
    most: 100,
    mostAnHour: 1000,
  });
  await clearAll(store);
  await store.auditLog.record([entry(team.id, 4)], { most: 100, mostAnHour: 1000 });
  assert.equal((await store.rows.list('auditLog', { team: team.id }, wholePage)).total, 0);
  assert.equal((await store.rows.list('auditLog', { team: 4711 }, wholePage)).total, 0);
  assert.equal((await store.rows.list('auditLog', { team: owner }, wholePage)).total, 1);
});

onEachStore('entries of one actor and action are counted beyond a number in an hour', async (scene) => {
  const { store, owner } = scene;
  const { auditLog, rows } = store;
  const bounds = { most: 1000, mostAnHour: 3 };
  const other = { ...entry(owner, 0), actor: 'bob@team.test' };
  const joined = { ...entry(owner, 0), action: 'member.joined' as const };
  await auditLog.record([other, joined], bounds);
  for (let second = 0; second < 5; second += 1) await auditLog.record([entry(owner, second)], bounds);
  const many = Array.from({ length: 4 }, (_, index) => entry(owner, 10 + index));
  await auditLog.record(many, bounds);
  const nextHour = { ...entry(owner, 0), at: new Date(at(0).getTime() + 3_600_000) };
  await auditLog.record([nextHour, ...many], bounds);
  const { items } = await rows.list('auditLog', { team: owner }, wholePage);
  const shown = items.map(({ actor, action, target, more }) => `${actor} ${action} ${more ?? target}`);
  assert.deepEqual(shown.sort(), [
    'ada@team.test domain.deleted 10',
    'ada@team.test domain.deleted d0.test',
    'ada@team.test domain.deleted d0.test',
    'ada@team.test domain.deleted d1.test',
    'ada@team.test domain.deleted d2.test',
    'ada@team.test member.joined d0.test',
    'bob@team.test domain.deleted d0.test',
  ]);
});

onEachStore('a flood of one actor pushes no entry of another out', async ({ store, owner }) => {
  const { auditLog, rows } = store;
  const bounds = { most: 3, mostAnHour: 1000 };
  const others = ['bob@team.test', 'eve@team.test'].map((actor) => ({ ...entry(owner, 0), actor }));
  await auditLog.record(others, bounds);
  for (let second = 1; second < 3 * trimEvery; second += 1)
    await auditLog.record([entry(owner, second)], bounds);
  const { items } = await rows.list('auditLog', { team: owner }, { page: 1, limit: 2000 });
  assert.ok(items.length < 2 * trimEvery);
  assert.equal(items.filter(({ actor }) => actor !== 'ada@team.test').length, 2);
});

onEachStore('a flood of one actor hides nothing that concerns others', async ({ store, owner }) => {
  const { auditLog, rows } = store;
  const bounds = { most: 1000, mostAnHour: 3 };
  for (let second = 0; second < 5; second += 1) await auditLog.record([entry(owner, second)], bounds);
  await auditLog.record([{ ...entry(owner, 5), ofOthers: true }], bounds);
  for (let second = 6; second < 9; second += 1) await auditLog.record([entry(owner, second)], bounds);
  const { items } = await rows.list('auditLog', { team: owner }, wholePage);
  assert.deepEqual(items.map(({ target, more }) => more ?? target).sort(), [
    5,
    'd0.test',
    'd1.test',
    'd2.test',
    'd5.test',
  ]);
});
