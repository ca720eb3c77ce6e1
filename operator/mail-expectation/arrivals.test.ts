import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SearchTimeout } from '#core/errors.ts';
import type { MailEvent } from '#core/events/event.ts';
import type { FeedReader } from '#core/events/feed.ts';
import { type Query, termsOf } from '#core/messages/query.ts';
import { parseQuery } from '#core/query/parse.ts';
import { Slots } from '#gate/slots.ts';
import { until } from '#test/support/runner/until.ts';
import { NotLeading } from '../runtime/failures.ts';
import { Arrivals } from './arrivals.ts';

const team = 7;
const received = (number: number) => ({ number, type: 'message.received' }) as MailEvent;

/**
 * Arrivals of a store whose messages are their subjects, numbered from 1. `fail` makes the next searches fail, `broken` every search for
 * that word, and `slow` every search for that word in old mail.
 */
function scene(most = 10_000) {
  const readers = new Set<FeedReader>();
  const mails: string[] = [];
  const found: string[] = [];
  const errors: unknown[] = [];
  const state = { searches: 0, fail: 0, slow: '', broken: '' };
  const has = (query: Query, subject: string): boolean => {
    if ('any' in query) return query.any.some((part) => has(part, subject));
    if ('all' in query) return query.all.every((part) => has(part, subject));
    return 'typed' in query && subject.includes(query.typed);
  };
  const arrivals = new Arrivals({
    feed: {
      follow(_team, _after, reader) {
        readers.add(reader);
        return { stop: () => readers.delete(reader) };
      },
    },
    head: async () => mails.length,
    async isThere(_team, query, cursor) {
      state.searches += 1;
      const asks = (word: string) =>
        word !== '' && termsOf(query).some(({ term }) => term.typed.includes(word));
      if (state.fail-- > 0 || asks(state.broken)) throw new Error('no store');
      if (cursor === 0 && asks(state.slow)) throw new SearchTimeout();
      return mails.slice(cursor).some((subject) => has(query, subject));
    },
    slots: new Slots(most),
    onError: (error) => errors.push(error),
  });
  const stopping = new AbortController();
  const listening = arrivals.listen((name) => found.push(name), stopping.signal);
  return {
    ...{ arrivals, readers, found, errors, state, mails },
    expect: (name: string, q: string, cursor = mails.length) =>
      arrivals.expect(team, { name, query: parseQuery(q), cursor }),
    tell(...events: MailEvent[]) {
      for (const reader of readers) reader.onEvents(events);
    },
    send(subject: string) {
      mails.push(subject);
      this.tell(received(mails.length));
    },
    gap() {
      for (const reader of readers) reader.onGap();
    },
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await listening;
    },
  };
}

test('a mail is told to whom it matches, and to nobody else, whatever their number', async () => {
  await using one = scene();
  for (let at = 0; at < 500; at++) assert.equal(await one.expect(`e${at}`, `word${at}x`), true);
  assert.equal(one.readers.size, 1, 'one follower of the team');
  one.send('about word321x and word4x');
  await until(() => one.found.length === 2, 5000, 1);
  assert.deepEqual(one.found.sort(), ['e321', 'e4']);
  assert.ok(one.state.searches < 50, `${one.state.searches} searches`);
  one.send('nothing');
  one.send('word7x');
  await until(() => one.found.includes('e7'), 5000, 1);
  assert.equal(one.found.length, 3);
});

test('older mail is told after a change or a gap, but none from before the wait', async () => {
  await using one = scene();
  one.send('old code');
  await one.expect('early', 'code', 0);
  await one.expect('late', 'code');
  one.send('other');
  await until(() => one.state.searches > 0, 5000, 1);
  assert.deepEqual(one.found, []);
  one.tell({ ...received(1), type: 'message.updated' } as MailEvent);
  await until(() => one.found.length === 1, 5000, 1);
  one.gap();
  await until(() => one.found.length === 2, 5000, 1);
  one.tell({ ...received(3), type: 'message.deleted' } as MailEvent);
  assert.deepEqual(one.found, ['early', 'early']);
});

test('a search that failed is made again', async () => {
  await using one = scene();
  await one.expect('e', 'code');
  one.state.fail = 1;
  one.send('code');
  await until(() => one.found.length === 1, 5000, 1);
  assert.equal(one.errors.length, 1);
});

test('a search that takes too long is made in halves, new mail comes first, and one alone is told', async () => {
  await using one = scene();
  for (let at = 0; at < 300; at++) await one.expect(`e${at}`, `word${at}x`, 0);
  one.state.slow = 'word99x';
  one.mails.push('word7x');
  one.gap();
  await until(() => one.state.searches > 0, 5000, 1);
  one.send('word250x');
  await until(() => one.found.includes('e99') && one.found.includes('e7'), 5000, 1);
  assert.ok(one.found.indexOf('e250') < one.found.indexOf('e99'), one.found.join(' '));
  assert.deepEqual([...new Set(one.found)].sort(), ['e250', 'e7', 'e99']);
  assert.deepEqual(one.errors, []);
  const { searches } = one.state;
  assert.ok(searches < 100, `${searches} searches`);
  one.send('word99x');
  await until(() => one.found.filter((name) => name === 'e99').length === 2, 5000, 1);
  assert.ok(one.state.searches < searches + 40, 'the old mail is not searched again');
});

test('a search that always fails delays its own mail alone', async () => {
  await using one = scene();
  for (let at = 0; at < 300; at++) await one.expect(`e${at}`, `word${at}x`);
  one.state.broken = 'word0x';
  one.send('word0x and word299x');
  await until(() => one.found.includes('e299'), 5000, 1);
  one.send('word1x and word298x');
  await until(() => one.found.includes('e298'), 5000, 1);
  one.state.broken = '';
  await until(() => one.found.includes('e0') && one.found.includes('e1'), 20_000, 1);
});

test('a team waits for so much at a time, and the end of the term or of all waits ends its follower', async () => {
  const one = scene(2);
  assert.deepEqual([await one.expect('a', 'x'), await one.expect('b', 'x')], [true, true]);
  assert.equal(await one.expect('c', 'x'), false);
  assert.equal(await one.expect('a', 'y'), true, 'the same again');
  one.arrivals.forget('b');
  assert.equal(await one.expect('c', 'x'), true);
  one.arrivals.forget('a');
  one.arrivals.forget('c');
  await until(() => one.readers.size === 0, 5000, 1);
  await one.expect('d', 'x');
  assert.equal(one.readers.size, 1);
  await one[Symbol.asyncDispose]();
  await until(() => one.readers.size === 0, 5000, 1);
  await assert.rejects(one.expect('e', 'x'), NotLeading, 'nobody listens');
  assert.equal(one.readers.size, 0);
});
