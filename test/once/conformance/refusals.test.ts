import assert from 'node:assert/strict';
import type { Id } from '#core/ids.ts';
import type { NewRefusal } from '#core/refusals/refusal.ts';
import type { Store } from '#core/store.ts';
import { refusalOf } from './refusals.ts';
import { newUser, onEachStore } from './scene.ts';

const at = (minute: number) => new Date(Date.UTC(2026, 0, 1, 12, minute));
const all = { page: 1, limit: 200 };
const replies = async (store: Store, team: Id, after = new Date(0)) =>
  (await store.rows.list('refusals', { team, after }, all)).items.map(({ reply }) => reply);

onEachStore('a refusal is read as it was written, by its team alone', async ({ store, owner }) => {
  const other = await newUser(store, 'refusals@app.test');
  const whole: NewRefusal = refusalOf(owner, at(1), {
    ...{ remoteAddress: null, helo: 'é\u{1F600}\0', mailFrom: null, rcptTo: ['a@b.test', '"x y"@b.test'] },
    ...{
      authenticatedAs: { kind: 'api_key', name: 'ci' },
      stage: 'api',
      reason: 'on-purpose',
      failure: 7,
      transcript: '1C HELO x\x7f',
    },
  });
  await store.refusals.add([whole], 1000);
  const { items, total } = await store.rows.list('refusals', { team: owner, after: new Date(0) }, all);
  assert.equal(total, 1);
  assert.deepEqual(items, [{ id: items[0]?.id, ...whole }]);
  assert.deepEqual(await replies(store, other), []);
  for (const [team, id = 0] of [
    [owner, items[0]?.id],
    [owner, 987_654],
    [other, items[0]?.id],
  ]) {
    const isOwn = team === owner && id !== 987_654;
    const wanted = { team: team ?? 0, after: new Date(0), id };
    assert.equal((await store.rows.list('refusals', wanted, all)).items.length, isOwn ? 1 : 0);
  }
});

onEachStore('refusals are listed newest first, page by page, after an instant', async ({ store, owner }) => {
  const batch = [1, 3, 2].map((minute) => refusalOf(owner, at(minute), { reply: `550 ${minute}` }));
  await store.refusals.add(batch, 1000);
  await store.refusals.add([refusalOf(owner, at(2), { reply: '550 later' })], 1000);
  assert.deepEqual(await replies(store, owner), ['550 3', '550 later', '550 2', '550 1']);
  assert.deepEqual(await replies(store, owner, at(1)), ['550 3', '550 later', '550 2']);
  const page = await store.rows.list('refusals', { team: owner, after: at(0) }, { page: 2, limit: 3 });
  assert.deepEqual([page.items.map(({ reply }) => reply), page.total], [['550 1'], 4]);
});

onEachStore('a flood of one address leaves the refusals of others', async ({ store, owner }) => {
  const from = (remoteAddress: string | null, ...minutes: number[]) =>
    minutes.map((minute) =>
      refusalOf(owner, at(minute), { remoteAddress, reply: `550 ${remoteAddress} ${minute}` }),
    );
  await store.refusals.add([...from('192.0.2.7', 1), ...from(null, 2), ...from('192.0.2.8', 3, 4)], 6);
  for (let minute = 10; minute < 16; minute += 2)
    await store.refusals.add(from('192.0.2.9', minute, minute + 1), 6);
  const others = ['550 192.0.2.8 4', '550 192.0.2.8 3', '550 null 2', '550 192.0.2.7 1'];
  assert.deepEqual(await replies(store, owner), ['550 192.0.2.9 15', '550 192.0.2.9 14', ...others]);
  // If each address has one refusal, the oldest is removed.
  await store.refusals.add(from('192.0.2.6', 20), 2);
  assert.deepEqual(await replies(store, owner), ['550 192.0.2.6 20', '550 192.0.2.9 15']);
});

onEachStore('a team keeps its newest, and a team that is gone has none', async ({ store, owner }) => {
  const other = await newUser(store, 'kept@app.test');
  await store.refusals.add([refusalOf(other, at(0), { reply: '550 kept' })], 3);
  for (const minutes of [
    [1, 2],
    [3, 4, 5],
  ]) {
    const batch = minutes.map((minute) => refusalOf(owner, at(minute), { reply: `550 ${minute}` }));
    await store.refusals.add([...batch, refusalOf(999_999, at(9))], 3);
  }
  assert.deepEqual(await replies(store, owner), ['550 5', '550 4', '550 3']);
  assert.deepEqual(await replies(store, other), ['550 kept']);
  assert.deepEqual(await replies(store, 999_999), []);
  await store.upkeep({ do: 'prune-refusals', before: at(5) }, 1);
  while ((await store.upkeep({ do: 'prune-refusals', before: at(5) }, 1)).more);
  assert.deepEqual([await replies(store, owner), await replies(store, other)], [['550 5'], []]);
});
