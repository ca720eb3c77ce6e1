import assert from 'node:assert/strict';
import { NotFound } from '#core/errors.ts';
import {
  addFailure,
  countAddressFailure,
  countFailure,
  removeFailure,
  setFailure,
} from '#core/failures/change-failures.ts';
import type { Attempt } from '#core/failures/failure.ts';
import { failureWords } from '#core/failures/failure-words.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { newDomain, newUser, onEachStore, type Scene } from './scene.ts';

const start = Date.now();
const after = (seconds: number) => new Date(start + seconds * 1000);
const attempt: Attempt = {
  ...{ at: after(1), remoteAddress: '192.0.2.1', mailFrom: '', rcptTo: ['qa@app.test'] },
  reply: '451 4.7.1 Refused on purpose',
};

const add = ({ store, owner: team }: Pick<Scene, 'store' | 'owner'>, input = {}, now = after(0)) =>
  store.rows.change(addFailure, { team, input, now, most: limits.owned.failures });
const count = ({ store, owner: team }: Scene, failure: Id, now = after(1)) =>
  store.rows.change(countFailure, { team, failure, attempt, now });
const rulesOf = async (
  { store, owner }: Pick<Scene, 'store' | 'owner'>,
  where: { now: Date; id?: Id },
  page = { page: 1, limit: 200 },
) => (await store.rows.list('failures', { team: owner, ...where }, page)).items;
const versionOf = async ({ store }: Scene) =>
  (await store.deliveries.lookUp('app.test', ['qa@app.test']))?.domain.failures;

onEachStore(
  'failure rules are kept in the order of their creation, with all that they are',
  async (scene) => {
    const { store, owner } = scene;
    assert.deepEqual(await store.rows.read('versionedFailures', { team: owner }), { version: 0, rules: [] });
    const match = { q: 'subject:a', address: 'qa+run7@app.test', from: 'b@app.test' };
    const rate = { limit: 0, seconds: 60 };
    const input = { name: 'All', match, stage: 'end', times: 2, delayMs: 5, rate, expiresIn: 60 };
    const first = await add(scene, input);
    const second = await add(scene);
    assert.ok(first.id < second.id);
    const ruleOf = ({ hits: _, attempts: _a, window: _w, ...rule }: typeof first) => rule;
    assert.deepEqual((await store.rows.read('versionedFailures', { team: owner })).rules, [
      ruleOf(first),
      ruleOf(second),
    ]);
    assert.deepEqual(await rulesOf(scene, { now: after(0) }), [first, second]);
    assert.deepEqual(await rulesOf(scene, { now: after(0), id: second.id }), [second]);
    const page = { page: 2, limit: 1 };
    assert.deepEqual(await store.rows.list('failures', { team: owner, now: after(0) }, page), {
      items: [second],
      total: 2,
    });

    assert.deepEqual(await count(scene, first.id), { fails: true });
    const counted = { ...first, hits: 1, attempts: [attempt], window: { since: after(1), count: 1 } };
    assert.deepEqual(await rulesOf(scene, { now: after(0), id: first.id }), [counted]);
    await count(scene, first.id);
    const [twice] = await rulesOf(scene, { now: after(0), id: first.id });
    assert.deepEqual([twice?.hits, twice?.attempts.length, twice?.window?.count], [2, 2, 2]);
  },
);

onEachStore(
  'the look-up of a recipient tells another version after each change of the rules',
  async (scene) => {
    const { store, owner, account } = scene;
    const seen = [await versionOf(scene)];
    const { id } = await add(scene);
    seen.push(await versionOf(scene));
    await count(scene, id);
    assert.equal(await versionOf(scene), seen[1], 'a count is no change of the rules');
    await add(scene);
    seen.push(await versionOf(scene));
    const pause = { team: owner, failure: id, set: { active: false }, now: after(0) };
    await store.rows.change(setFailure, pause);
    seen.push(await versionOf(scene));
    const [paused] = (await store.rows.read('versionedFailures', { team: owner })).rules;
    assert.partialDeepStrictEqual(paused, { id, active: false, name: null });
    await store.rows.change(removeFailure, { team: owner, failure: id, now: after(0) });
    seen.push(await versionOf(scene));
    assert.equal(seen[0], 0);
    assert.equal(new Set(seen).size, 5);
    assert.equal((await store.rows.read('versionedFailures', { team: owner })).version, seen[4]);

    await newDomain(store, owner, 'later.test');
    const later = await store.deliveries.lookUp('later.test', ['qa@later.test']);
    assert.equal(later?.domain.failures, seen[4], 'a domain that is made later has it too');

    const simulates = async () =>
      (await store.deliveries.lookUp('app.test', ['qa@app.test']))?.accounts[0]?.simulatesFailures;
    assert.deepEqual([account.simulatesFailures, await simulates()], [false, false]);
    const set = { simulatesFailures: true };
    await store.accounts.update(owner, account.id, set, after(0));
    assert.equal((await store.accounts.find(owner, account.id))?.simulatesFailures, true);
    assert.equal(await simulates(), true);
  },
);

onEachStore(
  'a rule fails exactly as often as it says, however many attempts there are at once',
  async (scene) => {
    const { id } = await add(scene, { times: 5 });
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => count(scene, id)));
    assert.equal(outcomes.filter(({ fails }) => fails).length, 5);
    const [rule] = await rulesOf(scene, { now: after(0) });
    assert.deepEqual([rule?.hits, rule?.attempts.length], [5, 20]);
    assert.equal(rule?.attempts.filter(({ reply }) => reply !== null).length, 5);
  },
);

onEachStore('attempts of an address are counted under its key, and are no rule', async (scene) => {
  const { store, owner: team } = scene;
  const words = failureWords({ times: 2 });
  const meet = (failure: string, of = team, now = after(1)) =>
    store.rows.change(countAddressFailure, { team: of, failure, words, attempt, now });
  const fails = async (outcomes: Promise<{ fails: boolean }>[]) =>
    (await Promise.all(outcomes)).map((outcome) => outcome.fails).sort();
  assert.deepEqual(await fails([meet('a'), meet('a'), meet('a')]), [false, true, true]);
  const stranger = await newUser(store, 'stranger@team.test');
  assert.deepEqual(await fails([meet('b'), meet('a', stranger)]), [true, true]);
  assert.deepEqual(await rulesOf(scene, { now: after(0) }), []);
  assert.deepEqual(await store.rows.read('versionedFailures', { team }), { version: 0, rules: [] });
  assert.deepEqual(await meet('a', team, after(3700)), { fails: true }, 'a count is over after an hour');
});

onEachStore('a team sees and counts its own rules alone', async (scene) => {
  const { store } = scene;
  const stranger = await newUser(store, 'stranger@team.test');
  const { id } = await add(scene);
  const now = after(0);
  assert.deepEqual(await rulesOf({ store, owner: stranger }, { now }), []);
  assert.deepEqual(await rulesOf({ store, owner: stranger }, { now, id }), []);
  assert.deepEqual(await count({ ...scene, owner: stranger }, id), { fails: false });
  await assert.rejects(store.rows.change(removeFailure, { team: stranger, failure: id, now }), NotFound);
  assert.equal((await rulesOf(scene, { now }))[0]?.hits, 0);
});

onEachStore('rules that are over are gone at once, leave room for others, and are removed', async (scene) => {
  const { store, opened } = scene;
  const rowsOf = async () => {
    const counts = await opened.count();
    return counts.failure ?? counts.failures;
  };
  for (let made = 0; made < limits.owned.failures; made += 1) await add(scene, { expiresIn: 60 });
  await assert.rejects(add(scene), /the limit of 100 failures has been reached/);
  assert.deepEqual(await rulesOf(scene, { now: after(60) }), []);
  await add(scene, { expiresIn: 60 }, after(60));
  assert.equal(await rowsOf(), 1);
  await store.upkeep({ do: 'remove-expired-secrets', now: after(119) }, 500);
  assert.equal(await rowsOf(), 1);
  await store.upkeep({ do: 'remove-expired-secrets', now: after(120) }, 500);
  assert.equal(await rowsOf(), 0);
});
