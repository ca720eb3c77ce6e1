import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SearchTimeout, StoreUnavailable, TooManySearches } from '#core/errors.ts';
import type { SearchTerms } from '#core/messages/search-turns.ts';
import { searching } from '#test/support/stores/searching.ts';
import { createSearchTurns } from './search-turns.ts';

const texts = searching({ words: ['a'] });
const bounds = { searches: 2, fieldSearches: 3, searchesAtOnce: 1, searchMs: 60_000 };
const tick = () => new Promise((resolve) => setImmediate(resolve));

/** Search with this many slices, which log its name. */
function slices(count: number, log: string[], name: string) {
  return async ({ turn }: SearchTerms) => {
    for (let slice = 0; slice < count; slice += 1) {
      await turn(async () => {
        log.push(name);
        await tick();
      });
    }
  };
}

test('users take turns slice by slice, however many searches each has', async () => {
  const turns = createSearchTurns(() => {}, bounds);
  const log: string[] = [];
  await Promise.all([
    turns.search(1, texts, {}, slices(3, log, 'a')),
    turns.search(1, texts, {}, slices(3, log, 'a')),
    turns.search(2, texts, {}, slices(2, log, 'b')),
    turns.search(3, texts, {}, slices(1, log, 'c')),
  ]);
  assert.equal(log.slice(0, 6).filter((name) => name === 'b').length, 2, log.join(''));
  assert.ok(log.indexOf('c') <= 3, log.join(''));
  assert.equal(log.length, 9);
});

test('a user has one place at a time, and fields never wait for texts', async () => {
  const turns = createSearchTurns(() => {}, { ...bounds, searchesAtOnce: 2 });
  const running = new Set<string>();
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const hold =
    (name: string) =>
    ({ turn }: SearchTerms) =>
      turn(() => {
        running.add(name);
        return ended;
      });
  const searches = [
    turns.search(1, texts, {}, hold('first')),
    turns.search(1, texts, {}, hold('second')),
    turns.search(2, texts, {}, hold('other')),
    turns.search(3, texts, {}, hold('late')),
    turns.search(1, searching({ to: 'a' }), {}, hold('fields')),
  ];
  await tick();
  assert.deepEqual([...running].sort(), ['fields', 'first', 'other']);
  end();
  await Promise.all(searches);
  assert.equal(running.size, 5);
});

test('a user has a largest number of searches under way, by texts and by fields; looks are not counted', async () => {
  const reached: string[] = [];
  const turns = createSearchTurns((limit) => reached.push(limit), bounds);
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const hold = ({ turn }: SearchTerms) => turn(() => ended);
  const look = turns.search(1, texts, { look: true }, hold);
  const two = [1, 2].map(() => turns.search(1, texts, {}, hold));
  await assert.rejects(turns.search(1, texts, {}, hold), TooManySearches);
  const three = [1, 2, 3].map(() => turns.search(1, searching({ to: 'a' }), {}, hold));
  await assert.rejects(turns.search(1, searching({ to: 'a' }), {}, hold), TooManySearches);
  const other = turns.search(2, texts, {}, hold);
  assert.deepEqual(reached, ['answers.searches', 'answers.fieldSearches']);
  end();
  await Promise.all([look, other, ...two, ...three]);
  await turns.search(1, texts, {}, hold);
});

test('the deadline begins when a search is asked for, running or not', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const turns = createSearchTurns(() => {}, bounds);
  const began: string[] = [];
  const waiting: Promise<void>[] = [];
  // Slice that lasts as long as the others wait.
  const running = turns.search(1, texts, {}, async ({ signal, turn }) => {
    await turn(async () => {
      await tick();
      await Promise.allSettled(waiting);
    });
    signal.throwIfAborted();
  });
  waiting.push(turns.search(2, texts, {}, slices(1, began, 'waited')));
  t.mock.timers.tick(bounds.searchMs);
  for (const result of await Promise.allSettled([running, ...waiting])) {
    assert.ok(result.status === 'rejected' && result.reason instanceof SearchTimeout);
  }
  assert.deepEqual(began, []);
  await turns.search(3, texts, {}, slices(1, began, 'later'));
  assert.deepEqual(began, ['later']);
});

test('a search that nobody waits for is dropped, and its place is free', async () => {
  const turns = createSearchTurns(() => {}, bounds);
  const gone = new AbortController();
  let sliced = 0;
  const endless = async ({ turn }: SearchTerms): Promise<void> => {
    for (;;) {
      await turn(async () => {
        sliced += 1;
        await tick();
      });
    }
  };
  const searches = [1, 2].map(() => turns.search(1, texts, { signal: gone.signal }, endless));
  await tick();
  gone.abort();
  for (const result of await Promise.allSettled(searches)) {
    assert.ok(result.status === 'rejected' && result.reason instanceof StoreUnavailable);
  }
  assert.ok(sliced <= 2);
  const log: string[] = [];
  await turns.search(1, texts, {}, slices(1, log, 'a'));
  await assert.rejects(
    turns.search(1, texts, { signal: gone.signal }, slices(1, log, 'b')),
    StoreUnavailable,
  );
  assert.deepEqual(log, ['a']);
});
