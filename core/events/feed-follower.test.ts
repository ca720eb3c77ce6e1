import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Journal, MailEvent } from './event.ts';
import { Follower } from './feed.ts';

const team = 7;
const event = (number: number): MailEvent => ({
  number,
  type: 'message.deleted',
  messageId: number,
  messageNumber: number,
  accountId: 1,
  mailboxId: 1,
  at: new Date(0),
});
const events = (...numbers: number[]) => numbers.map(event);
const range = (length: number) => Array.from({ length }, (_, index) => index + 1);

/** Runs everything that waits for nothing else. */
const settled = () => new Promise(setImmediate);

/** Follower after event `after` of an in-memory journal. Journal responses wait for `gate`. */
class World {
  readonly kept: number[];
  readonly seen: (number | 'gap')[] = [];
  readonly reads: number[] = [];
  readonly errors: unknown[] = [];
  readonly follower: Follower;
  head: number | null = null;
  gate: Promise<void> = Promise.resolve();
  congestion: Promise<void> | undefined;

  constructor(after: number, kept: number[]) {
    this.kept = kept;
    const journal: Journal = {
      heads: async (users) => {
        await this.gate;
        return new Map(users.map((one) => [one, this.head ?? this.kept.at(-1) ?? 0]));
      },
      read: async (_user, from, limit) => {
        this.reads.push(from);
        const page = this.kept.filter((number) => number > from).slice(0, limit);
        await this.gate;
        return events(...page);
      },
      latest: async () => null,
      messageNumber: async () => null,
    };
    const reader = {
      onEvents: (handed: MailEvent[]) => {
        this.seen.push(...handed.map(({ number }) => number));
        return this.congestion;
      },
      onGap: () => void this.seen.push('gap'),
    };
    const onError = (error: unknown) => void this.errors.push(error);
    this.follower = new Follower({ journal, team, after, reader, onError });
  }

  /** Delays the journal's responses until the returned function is called. */
  hold(): () => Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.gate = promise;
    return async () => {
      this.gate = Promise.resolve();
      resolve();
      await settled();
    };
  }

  happen(...numbers: number[]): void {
    this.kept.push(...numbers);
    this.follower.offer(events(...numbers));
  }
}

const world = (after: number, kept: number[]) => new World(after, kept);

test('events that follow on are handed on at once, without the journal', () => {
  const w = world(1, [1]);
  w.happen(2, 3);
  w.follower.offer(events(3, 4));
  assert.deepEqual([w.seen, w.reads], [[2, 3, 4], []]);
});

test('events that are known already make nothing happen', async () => {
  const w = world(3, [1, 2, 3]);
  w.follower.offer(events(2, 3));
  w.follower.offer([]);
  w.follower.notice(3);
  await settled();
  assert.deepEqual([w.seen, w.reads], [[], []]);
});

test('a hole before or between the events is read from the journal', async () => {
  for (const offered of [events(3, 4), events(2, 4), events(2, 3, 5), events(3, 3)]) {
    const w = world(1, [1, 2, 3, 4, 5]);
    w.follower.offer(offered);
    assert.deepEqual(w.seen, []);
    await settled();
    assert.deepEqual([w.seen, w.reads], [[2, 3, 4, 5], [1]]);
  }
});

test('another newest number makes it read', async () => {
  const w = world(1, [1, 2]);
  w.follower.notice(2);
  await settled();
  assert.deepEqual([w.seen, w.reads], [[2], [1]]);
});

test('events that come while it reads are read after that, in order', async () => {
  const w = world(0, [1]);
  const release = w.hold();
  w.follower.catchUp();
  w.happen(2);
  w.happen(3);
  assert.deepEqual(w.seen, []);
  await release();
  assert.deepEqual(
    [w.seen, w.reads],
    [
      [1, 2, 3],
      [0, 1],
    ],
  );
  w.happen(4);
  assert.deepEqual(
    [w.seen, w.reads],
    [
      [1, 2, 3, 4],
      [0, 1],
    ],
  );
});

test('a congested reader gets nothing until it is free, then all from the journal', async () => {
  const w = world(1, [1]);
  const { promise, resolve } = Promise.withResolvers<void>();
  w.congestion = Promise.resolve();
  w.happen(2);
  await settled();
  assert.deepEqual([w.seen, w.reads], [[2], []], 'nothing came meanwhile');
  w.congestion = promise;
  w.happen(3);
  w.happen(4);
  await settled();
  assert.deepEqual([w.seen, w.reads], [[2, 3], []]);
  w.congestion = undefined;
  resolve();
  await settled();
  assert.deepEqual([w.seen, w.reads], [[2, 3, 4], [3]]);
  w.happen(5);
  assert.deepEqual(w.seen, [2, 3, 4, 5]);
});

test('a reader whose congestion fails goes on, and the failure is reported', async () => {
  const w = world(1, [1]);
  w.congestion = Promise.reject(new Error('broken pipe'));
  w.happen(2);
  w.congestion = undefined;
  await settled();
  w.happen(3);
  assert.deepEqual(w.seen, [2, 3]);
  assert.deepEqual(
    w.errors.map((error) => (error instanceof Error ? error.message : '')),
    ['broken pipe'],
  );
});

test('replay waits for a congested reader', async () => {
  const w = world(0, range(150));
  const { promise, resolve } = Promise.withResolvers<void>();
  w.congestion = promise;
  w.follower.catchUp();
  await settled();
  assert.deepEqual([w.seen.length, w.reads], [100, [0]]);
  w.congestion = undefined;
  resolve();
  await settled();
  assert.deepEqual([w.seen, w.reads], [range(150), [0, 100]]);
});

test('the journal is read page by page to its end', async () => {
  for (const [count, reads] of [
    [99, [0]],
    [100, [0, 100]],
    [201, [0, 100, 200]],
  ] as const) {
    const w = world(0, range(count));
    w.follower.catchUp();
    await settled();
    assert.deepEqual([w.seen, w.reads], [range(count), reads]);
  }
});

test('a stopped follower reads nothing and hands nothing on', async () => {
  const w = world(0, []);
  w.follower.stop();
  w.happen(1);
  w.happen(2);
  w.follower.catchUp();
  w.follower.notice(2);
  await settled();
  assert.deepEqual([w.seen, w.reads], [[], []]);
});

test('a follower that is stopped while it reads hands nothing on and reads no more', async () => {
  for (const kept of [[1], range(100), []]) {
    const w = world(0, kept);
    const release = w.hold();
    w.head = 50;
    w.follower.catchUp();
    w.follower.catchUp();
    w.follower.stop();
    await release();
    assert.deepEqual([w.seen, w.reads], [[], [0]]);
  }
});

test('a follower that is stopped while its reader is congested reads no more', async () => {
  const w = world(1, [1]);
  const { promise, resolve } = Promise.withResolvers<void>();
  w.congestion = promise;
  w.happen(2);
  w.happen(3);
  w.follower.stop();
  resolve();
  await settled();
  assert.deepEqual([w.seen, w.reads], [[2], []]);
});

test('events that were pruned before it read them are a gap', async () => {
  const w = world(1, [5, 6]);
  w.follower.catchUp();
  await settled();
  assert.deepEqual(w.seen, ['gap', 5, 6]);
  const next = world(4, [5, 6]);
  next.follower.catchUp();
  await settled();
  assert.deepEqual(next.seen, [5, 6]);
});

test('a newest number that is not its own is a gap where there are no events', async () => {
  for (const [after, head, gap] of [
    [5, 5, false],
    [5, 9, true],
    [5, 2, true],
    [0, 0, false],
  ] as const) {
    const w = world(after, []);
    w.head = head;
    w.follower.catchUp();
    await settled();
    assert.deepEqual(w.seen, gap ? ['gap'] : [], `${after} of ${head}`);
    assert.equal(w.reads.length, head > after ? 2 : 1);
    w.follower.offer(events(head + 1));
    assert.deepEqual(w.seen, [...(gap ? ['gap'] : []), head + 1], 'it goes on behind the newest');
  }
});

test('an event that comes between two looks at the journal is no gap', async () => {
  const w = world(1, [1]);
  const release = w.hold();
  w.follower.catchUp();
  w.kept.push(2);
  await release();
  assert.deepEqual([w.seen, w.reads], [[2], [1, 1, 1]]);
});

test('a failure of the journal is reported, and the journal is read again later', async () => {
  const w = world(0, [1]);
  w.gate = Promise.reject(new Error('away'));
  w.follower.catchUp();
  await settled();
  assert.deepEqual([w.seen, w.errors.length], [[], 1]);
  w.gate = Promise.resolve();
  w.follower.catchUp();
  await settled();
  assert.deepEqual(w.seen, [1]);
});
