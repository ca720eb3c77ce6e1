import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { MailEvent } from '#core/events/event.ts';
import type { FeedReader } from '#core/events/feed.ts';
import { lasting } from '#test/support/runner/clocks.ts';
import { until } from '#test/support/runner/until.ts';
import { searching } from '#test/support/stores/searching.ts';
import type { MessageList, MessageSummary } from './message.ts';
import type { MessageFilter } from './message-filter.ts';
import { createWaits } from './waits.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

const nothing = { items: [], total: 0, cursor: 0 };
const page = { page: 1, limit: 10 };
const start = async () => ({ filter: {}, anyEvent: false });
const feed = { follow: () => ({ stop: () => {} }), close: async () => {} };
const journal = { heads: async () => new Map<number, number>() };

/** Waits of an owner without mail. Reading takes `readMs`, and a garbage collection follows. */
function waitsWith(readMs: number, onReading = () => {}) {
  const list = async () => {
    onReading();
    await lasting(readMs);
    collectGarbage();
    await turn();
    return nothing;
  };
  return createWaits({ feed, journal, list, enter: () => () => {} });
}

test('a wait whose time ends during its first reading ends with it', {
  timeout: 60_000,
}, async () => {
  const waits = waitsWith(100);
  const { signal } = new AbortController();
  const terms = { waiter: { userId: 1, keyId: null }, count: 1, waitMs: 20, signal };
  const answers = await Promise.all(Array.from({ length: 5 }, () => waits.wait(1, start, page, terms)));
  assert.deepEqual(answers, Array(5).fill({ list: nothing, met: false }));
});

test('a wait whose request ends during its first reading ends with it', { timeout: 60_000 }, async () => {
  const reading = Promise.withResolvers<void>();
  const waits = waitsWith(50, reading.resolve);
  const request = new AbortController();
  const waited = waits.wait(1, start, page, {
    waiter: { userId: 1, keyId: null },
    count: 1,
    waitMs: 60_000,
    signal: request.signal,
  });
  await reading.promise;
  request.abort();
  assert.deepEqual(await waited, { list: nothing, met: false });
});

test('equal waits count each message once when a read of new mail follows a full read', {
  timeout: 60_000,
}, async () => {
  const matching: number[] = [];
  let cursor = 0;
  let reader: FeedReader | undefined;
  const feed = {
    follow: (_team: number, _after: number, follower: FeedReader) => {
      reader = follower;
      return { stop: () => {} };
    },
  };
  const held: (() => void)[] = [];
  let reads = 0;
  const list = async (_owner: number, { after = 0 }: MessageFilter): Promise<MessageList> => {
    reads += 1;
    if (reads === 2) await new Promise<void>((resolve) => held.push(resolve));
    const items = matching.filter((number) => number > after).map(messageOf);
    return { items, total: items.length, cursor };
  };
  /** Adds mails, of which the given numbers match, and announces all of them. */
  const deliver = (numbers: number[], upTo: number) => {
    const events = Array.from({ length: upTo - cursor }, (_, at) => received(cursor + at + 1));
    matching.push(...numbers);
    cursor = upTo;
    reader?.onEvents(events);
  };
  const waits = createWaits({ feed, journal, list, enter: () => () => {} });
  const { signal } = new AbortController();
  const terms = { waiter: { userId: 1, keyId: null }, count: 2, waitMs: 50_000, signal };
  const wait = () =>
    waits.wait(1, async () => ({ filter: searching({ subject: 'even' }), anyEvent: false }), page, terms);

  const first = wait();
  await until(() => reads === 1);
  await turn();
  const second = wait();
  await until(() => held.length === 1);
  deliver([1], 2);
  for (const release of held) release();
  await until(() => reads === 3);
  deliver([3], 3);
  for (const { list, met } of await Promise.all([first, second])) {
    assert.equal(met, true);
    assert.equal(list.items.length, 2);
  }
});

const messageOf = (number: number): MessageSummary => ({
  id: number,
  number,
  accountId: 1,
  mailboxId: 1,
  msgid: null,
  subject: 'even',
  intro: '',
  code: null,
  mainLink: null,
  threadId: null,
  fromAddress: '',
  fromName: null,
  toAddresses: [],
  receivedAt: new Date(0),
  expiresAt: null,
  autoDelete: false,
  sizeBytes: 1,
  isRead: false,
  isFlagged: false,
  hasAttachments: false,
  tags: [],
  traceId: null,
  copy: false,
});

const received = (number: number): MailEvent => ({
  type: 'message.received',
  number,
  messageId: number,
  messageNumber: number,
  accountId: 1,
  mailboxId: 1,
  at: new Date(0),
  subject: '',
});
