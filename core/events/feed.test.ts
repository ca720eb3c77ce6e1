import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { EventBus, Journal, MailEvent } from './event.ts';
import { createFeed } from './feed.ts';

const user = 7;
const event = (number: number): MailEvent => ({
  number,
  type: 'message.deleted',
  messageId: number,
  messageNumber: number,
  accountId: 1,
  mailboxId: 1,
  at: new Date(0),
});

/** In-memory journal, and a bus that loses announcements on request. */
function world(kept: MailEvent[]) {
  const listeners = new Set<(user: number, events: MailEvent[]) => void>();
  const journal: Journal = {
    heads: async () => new Map([[user, kept.at(-1)?.number ?? 0]]),
    read: async (_user, after, limit) => kept.filter((entry) => entry.number > after).slice(0, limit),
    latest: async () => kept.at(-1) ?? null,
    messageNumber: async () => null,
  };
  const bus: EventBus = {
    announce(who, events) {
      for (const listener of listeners) listener(who, events);
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  const happen = (number: number, announced = true) => {
    kept.push(event(number));
    if (announced) bus.announce(user, [event(number)]);
  };
  return { journal, bus, happen, listening: () => listeners.size };
}

const settled = () => new Promise(setImmediate);

/** Feed with the test's own clock, whose journal records its polls. `gate` delays their responses. */
function polled(t: TestContext) {
  t.mock.timers.enable({ apis: ['setInterval'] });
  const w = world([event(1)]);
  const polls: number[][] = [];
  const errors: unknown[] = [];
  const state = { gate: Promise.resolve(), counting: false };
  const heads: Journal['heads'] = async (users) => {
    if (!state.counting) return w.journal.heads(users);
    polls.push([...users]);
    await state.gate;
    return w.journal.heads(users);
  };
  const onError = (error: unknown) => errors.push(error);
  const feed = createFeed({ ...w.journal, heads }, w.bus, { pollMs: 1000, onError });
  const follow = (who: number, seen: number[] = []) =>
    feed.follow(who, 1, {
      onEvents: (events) => void seen.push(...events.map(({ number }) => number)),
      onGap() {},
    });
  /** Advances the clock to the next poll. */
  const tick = async () => {
    await settled();
    state.counting = true;
    t.mock.timers.tick(1000);
    state.counting = false;
    await settled();
  };
  return { w, feed, polls, errors, state, follow, tick };
}

test('replays what follows, then goes on live', async (t) => {
  const { w, feed, follow } = polled(t);
  const seen: number[] = [];
  w.happen(2, false);
  w.happen(3, false);
  follow(user, seen);
  await settled();
  w.happen(4);
  assert.deepEqual(seen, [2, 3, 4]);
  feed.close();
});

test('users are polled while somebody follows them', async (t) => {
  const { feed, polls, follow, tick } = polled(t);
  await tick();
  assert.deepEqual(polls, []);
  const [first, second] = [follow(user), follow(user)];
  follow(8);
  await tick();
  first.stop();
  first.stop();
  await tick();
  second.stop();
  await tick();
  follow(user);
  second.stop();
  await tick();
  assert.deepEqual(polls, [[user, 8], [user, 8], [8], [8, user]]);
  feed.close();
});

test('a lost last announcement is found by the poll', async (t) => {
  const { w, feed, follow, tick } = polled(t);
  const seen: number[] = [];
  follow(user, seen);
  await settled();
  w.happen(2, false);
  await settled();
  assert.deepEqual(seen, []);
  await tick();
  assert.deepEqual(seen, [2]);
  feed.close();
});

test('a follower that stops during a poll or a replay receives no events, and nothing fails', async (t) => {
  const { w, feed, state, errors, follow, tick } = polled(t);
  const { promise, resolve } = Promise.withResolvers<void>();
  const seen: number[] = [];
  const { stop } = follow(user, seen);
  state.gate = promise;
  await tick();
  w.happen(2, false);
  stop();
  resolve();
  await settled();
  follow(user, seen).stop();
  follow(user, seen);
  feed.close();
  await settled();
  assert.deepEqual([seen, errors], [[], []]);
});

test('one poll waits for the last, and one that fails does not end them', async (t) => {
  const { feed, polls, errors, state, follow, tick } = polled(t);
  const { promise, reject } = Promise.withResolvers<void>();
  follow(user);
  state.gate = promise;
  await tick();
  await tick();
  assert.equal(polls.length, 1);
  reject(new Error('away'));
  await settled();
  state.gate = Promise.resolve();
  await tick();
  assert.deepEqual([polls.length, errors.length], [2, 1]);
  feed.close();
});

test('a follower goes on when another one of the same user stops', async (t) => {
  const { w, feed, follow } = polled(t);
  const seen: [number[], number[]] = [[], []];
  const { stop } = follow(user, seen[0]);
  follow(user, seen[1]);
  await settled();
  w.happen(2);
  stop();
  w.happen(3);
  assert.deepEqual(seen, [[2], [2, 3]]);
  feed.close();
});

test('a closed feed hands nothing on, polls no more and listens no more', async (t) => {
  const { w, feed, polls, state, follow, tick } = polled(t);
  const seen: number[] = [];
  const { promise, resolve } = Promise.withResolvers<void>();
  follow(user, seen);
  await settled();
  state.gate = promise;
  w.happen(2, false);
  await tick();
  feed.close();
  resolve();
  w.happen(3);
  await tick();
  assert.deepEqual([seen, polls.length, w.listening()], [[], 1, 0]);
  follow(user);
  await tick();
  assert.equal(polls.length, 1);
});
