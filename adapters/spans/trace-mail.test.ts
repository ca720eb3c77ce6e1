import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PreparedMail } from '#core/delivery/delivery.ts';
import { limits } from '#core/limits.ts';
import type { Message } from '#core/messages/message.ts';
import type { Store } from '#core/store.ts';
import { mostIds, newMs, traceMail } from './trace-mail.ts';
import type { Work } from './tracer.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parent = { traceId, parentSpanId: '00f067aa0ba902b7' };
const team = 3;

type Ports = Parameters<typeof traceMail>[0];

/** Ports whose reads find `message`, and the jobs that they create. */
function traced({ message, commit }: { message?: object; commit?: Ports['deliveries']['commit'] }) {
  const works: Work[] = [];
  const store = { reader: () => ({ messages: { find: async () => message ?? null } }) } as unknown as Store;
  const ports = {
    store,
    deliveries: { commit },
    examiner: {},
    failureSimulator: {},
    waits: {},
  } as unknown as Ports;
  const tracer = {
    record(work: Work) {
      works.push(work);
      return work.parent;
    },
    close: async () => {},
  };
  const own = traceMail(ports, tracer);
  const find = () =>
    own.store.reader().messages.find(team, 1, { now: new Date(), receivedAfter: new Date(0) });
  return { works, own, find };
}

const stored = (words: Partial<Message> = {}): object => ({
  id: 1,
  ...{ traceId, isRead: false, receivedAt: new Date(), content: parent },
  ...words,
});

const hourAgo = new Date(Date.now() - newMs);

const reads: [says: string, message: object, works: number][] = [
  ['a message that another process stored', stored(), 1],
  ['a message that was read', stored({ isRead: true }), 0],
  ['a message of an hour ago', stored({ receivedAt: hourAgo }), 0],
  ['a message whose trace is not recorded', { ...stored(), content: { traceId } }, 0],
  ['a message without a trace', { ...stored(), traceId: null, content: {} }, 0],
];

for (const [says, message, count] of reads)
  test(`${says} has ${count} first reads`, async () => {
    const { works, find } = traced({ message });
    await find();
    await find();
    assert.deepEqual(
      works.map(({ name, parent: sender, team: own }) => [name, sender, own]),
      Array(count).fill(['first read', parent, team]),
    );
  });

const mail = (receivedAt = new Date()) =>
  ({ parent, targets: [{ owner: team }], sizeBytes: 9, receivedAt }) as unknown as PreparedMail;

test('a commit that throws has failed, and throws', async () => {
  const { works, own } = traced({ commit: () => Promise.reject(new Error('away')) });
  await assert.rejects(own.deliveries.commit([mail()]), /away/);
  assert.deepEqual(
    works.map(({ name, failed, attributes }) => [name, failed, attributes['sandpost.result']]),
    [
      ['receive', true, 'error'],
      ['commit', true, 'error'],
    ],
  );
});

test('a mail without room has failed, one that rules discard has not', async () => {
  for (const [verdict, result, fails] of [
    [{ reason: 'no-room', address: 'a@b.test' }, 'no-room', true],
    [{ ids: [], commits: [] }, 'discarded', false],
  ] as const) {
    const { works, own } = traced({ commit: async () => [verdict as never] });
    await own.deliveries.commit([mail()]);
    assert.deepEqual(
      works.map(({ failed, attributes }) => [failed, attributes['sandpost.result']]),
      [
        [fails, result],
        [fails, result],
      ],
    );
  }
});

test('a process keeps a number of messages in mind, the newest, and names the first of a mail', async () => {
  const ids = Array.from({ length: limits.spans.reads + 1 }, (_, at) => at + 1);
  const { works, own, find } = traced({
    message: stored({ receivedAt: hourAgo }),
    commit: async () => [{ ids, commits: [] }],
  });
  await own.deliveries.commit([mail()]);
  assert.deepEqual(works[0]?.attributes['sandpost.message.ids'], ids.slice(0, mostIds));
  await find();
  assert.equal(works.length, 2);
});
