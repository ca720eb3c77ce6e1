import assert from 'node:assert/strict';
import { test } from 'node:test';
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

/** A journal in memory and a bus that loses what it is told to. */
function world(kept: MailEvent[]) {
  const listeners = new Set<(user: number, events: MailEvent[]) => void>();
  const journal: Journal = {
    heads: async () => new Map([[user, kept.at(-1)?.number ?? 0]]),
    read: async (_user, after, limit) => kept.filter((entry) => entry.number > after).slice(0, limit),
    latest: async () => kept.at(-1) ?? null,
    messageNumber: async () => null,
    prune: async () => {},
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
  return { journal, bus, happen };
}

/** Follows from `after`; `until(n)` waits for event n, and what was seen stands in `seen` with gaps as 'gap'. */
function follow({ journal, bus }: ReturnType<typeof world>, after: number, pollMs = 5) {
  const seen: (number | 'gap')[] = [];
  let check = () => {};
  const feed = createFeed(journal, bus, { pollMs, onError: (error) => assert.fail(String(error)) });
  const { stop } = feed.follow(user, after, {
    onEvents(events) {
      seen.push(...events.map((entry) => entry.number));
      check();
    },
    onGap() {
      seen.push('gap');
      check();
    },
  });
  const until = (wanted: number | 'gap') =>
    new Promise<void>((resolve) => {
      check = () => seen.includes(wanted) && resolve();
      check();
    });
  return { seen, stop, until, close: () => feed.close() };
}

test('replays what follows, then goes on live', async () => {
  const w = world([event(1), event(2), event(3)]);
  const reader = follow(w, 1);
  await reader.until(3);
  w.happen(4);
  await reader.until(4);
  assert.deepEqual(reader.seen, [2, 3, 4]);
  reader.close();
});

test('a lost announcement is found in the journal by the next one', async () => {
  const w = world([event(1)]);
  const reader = follow(w, 1, 60_000);
  w.happen(2, false);
  w.happen(3);
  await reader.until(3);
  assert.deepEqual(reader.seen, [2, 3]);
  reader.close();
});

test('a lost last announcement is found by the poll', async () => {
  const w = world([event(1)]);
  const reader = follow(w, 1);
  w.happen(2, false);
  await reader.until(2);
  assert.deepEqual(reader.seen, [2]);
  reader.close();
});

test('an announcement that comes twice, or late, is handed on once', async () => {
  const w = world([event(1), event(2)]);
  const reader = follow(w, 0, 60_000);
  await reader.until(2);
  w.bus.announce(user, [event(1), event(2)]);
  w.happen(3);
  w.bus.announce(user, [event(3)]);
  w.happen(4);
  await reader.until(4);
  assert.deepEqual(reader.seen, [1, 2, 3, 4]);
  reader.close();
});

test('a pruned stretch is told as a gap', async () => {
  const reader = follow(world([event(8), event(9)]), 3);
  await reader.until(9);
  assert.deepEqual(reader.seen, ['gap', 8, 9]);
  reader.close();
});

test('a place beyond the newest number is a gap too, and the stream goes on from the head', async () => {
  const w = world([event(1)]);
  const reader = follow(w, 50);
  await reader.until('gap');
  w.happen(2);
  await reader.until(2);
  assert.deepEqual(reader.seen, ['gap', 2]);
  reader.close();
});

test('a stopped follower hears nothing more', async () => {
  const w = world([]);
  const reader = follow(w, 0);
  w.happen(1);
  await reader.until(1);
  reader.stop();
  w.happen(2);
  assert.deepEqual(reader.seen, [1]);
  reader.close();
});
