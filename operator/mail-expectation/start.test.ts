import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MailEvent } from '#core/events/event.ts';
import type { Term } from '#core/messages/query.ts';
import { cursorAt, inTime, startTimes } from './start.ts';

const created = 100_000;
/** Time when the resource was seen, and when mail and the time until the end start to count, in ms after its creation second began. */
const starts: [seen: number, mail: number, within: number][] = [
  [20, 20, 20],
  [999, 999, 999],
  [1100, 1000, 1000],
  [1300, 0, 1000],
  [60_000, 0, 1000],
];
for (const [seen, mail, within] of starts) {
  test(`a resource that is seen after ${seen} ms counts mail from ${mail} ms on`, () => {
    const start = startTimes(new Date(created), new Date(created + seen));
    assert.deepEqual([start.mail.getTime() - created, start.within.getTime() - created], [mail, within]);
  });
}

test('a resource whose creation nobody saw, or by a clock that is behind, counts mail of its whole second', () => {
  const of = (seen: number | undefined) => {
    const { mail, within } = startTimes(new Date(created), seen === undefined ? seen : new Date(seen));
    return [mail.getTime() - created, within.getTime() - created];
  };
  assert.deepEqual(of(undefined), [0, 1000]);
  assert.deepEqual(of(created - 5000), [0, 0]);
});

test('the time of a mail counts where the cursor does not tell, and once the end has passed', () => {
  const word: Term = { field: 'text', part: 'code', typed: 'code' };
  const fieldsOf = (cursor: number, now: number) =>
    inTime(
      { all: [word] },
      { cursor, expiresAt: new Date(200_000).toISOString() },
      new Date(created),
      new Date(now),
    ).all.map((term) => ('at' in term ? [term.field, term.at] : 'text'));
  assert.deepEqual(fieldsOf(4, 199_999), ['text']);
  assert.deepEqual(fieldsOf(4, 200_000), ['text', ['before', 200_000]]);
  assert.deepEqual(fieldsOf(0, 199_999), ['text', ['after', created - 10_000]]);
  assert.deepEqual(fieldsOf(0, 200_000), ['text', ['before', 200_000], ['after', created - 10_000]]);
});

/** Journal of events at some times, the oldest of which are pruned. */
function journalOf(times: number[], pruned: number) {
  const all = times.map((at, index) => ({ number: index + 1, at: new Date(at) }) as MailEvent);
  let reads = 0;
  return {
    heads: async () => new Map([[7, times.length]]),
    async read(_team: number, after: number, limit: number) {
      reads += 1;
      const first = Math.max(after, pruned);
      return all.slice(first, first + limit);
    },
    reads: () => reads,
  };
}

test('the cursor of a time has all events before it, and none from it on', async () => {
  for (let size = 0; size < 12; size++) {
    const times = Array.from({ length: size }, (_, at) => 10 * at);
    for (let pruned = 0; pruned <= size; pruned++) {
      for (let time = -5; time <= 10 * size; time += 5) {
        const found = await cursorAt(journalOf(times, pruned), 7, new Date(time));
        const before = times.filter((at) => at < time).length;
        // Pruned events occurred at unknown times, before all others.
        assert.ok(
          found === before || (found <= pruned && before <= pruned),
          `${size} ${pruned} ${time}: ${found}`,
        );
      }
    }
  }
});

test('the cursor of now is found in few reads, and any other in the logarithm of their number', async () => {
  const times = Array.from({ length: 100_000 }, (_, at) => at);
  for (const [time, most] of [
    [100_000, 2],
    [99_990, 10],
    [0, 40],
    [31_415, 40],
  ] as const) {
    const journal = journalOf(times, 0);
    assert.equal(await cursorAt(journal, 7, new Date(time)), time);
    assert.ok(journal.reads() <= most, `${time}: ${journal.reads()} reads`);
  }
});
