import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeliveryVerdict, PreparedMail } from '#core/delivery/delivery.ts';
import { StoreUnavailable } from '#core/errors.ts';
import type { Arrival } from '#core/messages/examine.ts';
import type { MailRecord } from '#core/messages/mail-record.ts';
import { until } from '#test/support/runner/until.ts';
import { Examinations } from './examinations.ts';
import { type BatchLimits, portionsOf, withGroupCommit } from './group-commit.ts';

/** Parts of an email that batches depend on. `mark` identifies emails. */
const mail = (key: string | null, mark: number, sizeBytes = 1, owner = 1) => ({
  key,
  mark,
  sizeBytes,
  targets: [{ owner }],
  tokens: { references: ['<a@b.test>'] },
});
type Fake = ReturnType<typeof mail>;

/** Creates batches that end when the test says so. */
function fakeStore(bounds: Partial<BatchLimits> = {}, paceMs = 0, ready = async () => {}) {
  const limits = { mails: 9, bytes: 100, rows: 100, ...bounds };
  const commits: { marks: number[]; answer(): void; end(): void; fail(error: Error): void }[] = [];
  const as = (mails: PreparedMail[]) => mails as unknown as Fake[];
  const payers = { known: (team: number) => team % 10 };
  const batchKey = (mails: PreparedMail[]) => as(mails)[0]?.key ?? null;
  const unused = () => {
    throw new Error('not part of group commit');
  };
  const { commit } = withGroupCommit(
    {
      lookUp: unused,
      writeBody: unused,
      commitBatch: (mails, over = () => {}) =>
        new Promise((resolve, reject) => {
          const marks = as(mails).map(({ mark }) => mark);
          const answer = () => resolve(marks.map((mark): DeliveryVerdict => ({ ids: [mark], commits: [] })));
          const end = () => {
            over();
            answer();
          };
          commits.push({ marks, answer, end, fail: reject });
        }),
    },
    { payers, batchKey, ready, paceMs },
    limits,
  );
  const together = (...fakes: Fake[]) => commit(fakes as unknown as PreparedMail[]);
  return {
    commits,
    together,
    async commit(fake: Fake): Promise<DeliveryVerdict> {
      const [verdict] = await together(fake);
      return verdict ?? assert.fail('no verdict');
    },
  };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

/** Returns the marks of the mails in each batch. */
const marksOf = (batches: { marks: number[] }[]) => batches.map(({ marks }) => marks);

/** Sends emails one after the other, so the first is in progress when the second arrives. Returns their verdicts. */
async function inTurn<T>(marks: T[], send: (mark: T) => Promise<DeliveryVerdict>) {
  const verdicts: Promise<DeliveryVerdict>[] = [];
  for (const mark of marks) {
    verdicts.push(send(mark));
    await turn();
  }
  return verdicts;
}

test('mails of a key gather while a batch is under way, and get their own verdicts', async () => {
  const { commits, commit } = fakeStore();
  const verdicts = await inTurn([1, 2, 3], (mark) => commit(mail('a', mark)));
  assert.deepEqual(marksOf(commits), [[1]]);
  commits[0]?.end();
  await turn();
  assert.deepEqual(marksOf(commits), [[1], [2, 3]]);
  commits[1]?.end();
  assert.deepEqual(
    (await Promise.all(verdicts)).map((verdict) => 'ids' in verdict && verdict.ids),
    [[1], [2], [3]],
  );
  void commit(mail('a', 4));
  await turn();
  assert.deepEqual(commits.at(-1)?.marks, [4], 'a batch begins at once where none is under way');
});

test('keys do not wait for each other, and a mail without one is committed alone', async () => {
  const { commits, commit } = fakeStore();
  await inTurn([mail('a', 1), mail('b', 2), mail(null, 3), mail(null, 4)], commit);
  assert.deepEqual(marksOf(commits), [[1], [2], [3], [4]]);
});

test('a batch holds at most so many mails and bytes, and at least one mail', async () => {
  const cases: [string, number[], Partial<BatchLimits>, number[][]][] = [
    ['by mails', [1, 1, 1, 1, 1], { mails: 2, bytes: 100 }, [[0], [1, 2], [3, 4]]],
    ['by rows', [1, 1, 1, 1, 1], { rows: 4 }, [[0], [1, 2], [3, 4]]],
    ['one at a time', [1, 1, 1], { mails: 1, bytes: 100 }, [[0], [1], [2]]],
    ['by bytes', [1, 4, 6, 1], { mails: 9, bytes: 10 }, [[0], [1, 2], [3]]],
    ['one is too large', [1, 99, 99, 1], { mails: 9, bytes: 10 }, [[0], [1], [2], [3]]],
  ];
  for (const [name, sizes, limits, batches] of cases) {
    const { commits, commit } = fakeStore(limits);
    await inTurn([...sizes.entries()], ([mark, size]) => commit(mail('a', mark, size)));
    for (let i = 0; i < batches.length; i += 1) {
      commits[i]?.end();
      await turn();
    }
    assert.deepEqual(marksOf(commits), batches, name);
  }
});

test('users take turns, however many mails one of them has in two teams', async () => {
  const { commits, commit } = fakeStore({ mails: 2 });
  const mails = [1, 2, 3, 4, 5].map((mark) => mail('a', mark, 1, mark % 2 === 0 ? 11 : 1));
  await inTurn([...mails, mail('a', 6, 1, 2), mail('a', 7, 1, 3)], commit);
  for (let batch = 0; batch < 4; batch += 1) {
    commits[batch]?.end();
    await turn();
  }
  assert.deepEqual(marksOf(commits), [[1], [2, 6], [7, 3], [4, 5]]);
});

test('a failing commit rejects its mails and lets the next ones go on', async () => {
  const { commits, commit } = fakeStore();
  const [first, second] = await inTurn([1, 2], (mark) => commit(mail('a', mark)));
  commits[0]?.fail(new Error('disk'));
  await assert.rejects(first ?? Promise.resolve(), /disk/);
  await turn();
  commits[1]?.end();
  assert.deepEqual(await second, { ids: [2], commits: [] });
});

test('a mail that cannot be committed takes no other along', async () => {
  const { commits, commit } = fakeStore();
  const [first, second, third] = await inTurn([1, 2, 3], (mark) => commit(mail('a', mark)));
  commits[0]?.end();
  await turn();
  commits[1]?.fail(new Error('a poisonous mail'));
  await turn();
  commits[2]?.fail(new Error('poison'));
  await assert.rejects(second ?? Promise.resolve(), /poison/);
  await turn();
  commits[3]?.end();
  assert.deepEqual(
    [await first, await third],
    [1, 3].map((mark) => ({ ids: [mark], commits: [] })),
  );
  assert.deepEqual(marksOf(commits), [[1], [2, 3], [2], [3]]);
});

test('mails of one request are one batch, however many, and are tried together where it fails', async () => {
  const { commits, commit, together } = fakeStore({ mails: 3 });
  const first = commit(mail('a', 1));
  await turn();
  const request = together(mail('a', 2), mail('a', 3));
  const other = commit(mail('a', 4, 1, 2));
  await turn();
  commits[0]?.end();
  await turn();
  commits[1]?.fail(new Error('a poisonous mail'));
  await turn();
  commits[2]?.end();
  await turn();
  commits[3]?.end();
  assert.deepEqual(await request, [
    { ids: [2], commits: [] },
    { ids: [3], commits: [] },
  ]);
  await Promise.all([first, other]);
  assert.deepEqual(marksOf(commits), [[1], [2, 3, 4], [2, 3], [4]]);
});

test('where the store is away a batch is not tried mail by mail', async () => {
  const { commits, commit } = fakeStore();
  const verdicts = await inTurn([1, 2, 3], (mark) => commit(mail('a', mark)));
  commits[0]?.end();
  await turn();
  commits[1]?.fail(new StoreUnavailable('away'));
  for (const verdict of verdicts.slice(1)) await assert.rejects(verdict, StoreUnavailable);
  assert.equal(commits.length, 2);
});

test('where the store goes away, the mails of a failed batch are not all tried', async () => {
  const { commits, commit } = fakeStore();
  const verdicts = await inTurn([1, 2, 3, 4], (mark) => commit(mail('a', mark)));
  commits[0]?.end();
  await turn();
  commits[1]?.fail(new Error('a poisonous mail'));
  await turn();
  commits[2]?.fail(new StoreUnavailable('away'));
  for (const verdict of verdicts.slice(1)) await assert.rejects(verdict, StoreUnavailable);
  assert.deepEqual(marksOf(commits), [[1], [2, 3, 4], [2]]);
  void commit(mail('a', 5));
  await turn();
  assert.deepEqual(commits.at(-1)?.marks, [5], 'the next batch begins');
});

test('the next batch begins when the store says so, which may be after the answer', async () => {
  const { commits, commit } = fakeStore();
  const [first] = await inTurn([1, 2], (mark) => commit(mail('a', mark)));
  commits[0]?.answer();
  await first;
  await turn();
  assert.equal(commits.length, 1);
  commits[0]?.end();
  await turn();
  assert.deepEqual(commits[1]?.marks, [2]);
});

test('a batch waits for what is being examined, but not for long', async () => {
  for (const [waitMs, batches] of [
    [60_000, [[1, 2]]],
    [1, [[1], [2]]],
  ] as const) {
    const examining = new Examinations();
    const { promise: examined, resolve: end } = Promise.withResolvers<MailRecord>();
    const { examine } = examining.around({ examine: () => examined, close: async () => {} });
    const { commits, commit } = fakeStore(undefined, 0, () => examining.ended(waitMs));
    const second = examine(new Uint8Array(), {} as Arrival).then(() => commit(mail('a', 2)));
    const first = commit(mail('a', 1));
    if (waitMs === 1) await until(() => commits.length === 1);
    end({} as MailRecord);
    while (commits.flatMap(({ marks }) => marks).length < 2) {
      for (const { end } of commits) end();
      await turn();
    }
    for (const { end } of commits) end();
    await Promise.all([first, second]);
    assert.deepEqual(marksOf(commits), batches, `${waitMs} ms`);
  }
});

test('mail that came during a batch waits until the pace allows the next one, and later mail does not', async () => {
  const paceMs = 50;
  const { commits, commit } = fakeStore(undefined, paceMs);
  const begun = performance.now();
  const [, second, third] = await inTurn([1, 2, 3], (mark) => commit(mail('a', mark)));
  commits[0]?.end();
  await until(() => commits.length === 2);
  assert.ok(performance.now() - begun > paceMs - 2);
  assert.deepEqual(commits[1]?.marks, [2, 3]);
  commits[1]?.end();
  await Promise.all([second, third]);
  await turn();
  void commit(mail('a', 4));
  await turn();
  assert.deepEqual(commits[2]?.marks, [4]);
});

test('a portion has at most so many items and bytes, and at least one item', () => {
  const MiB = 1024 * 1024;
  const cases: [number[], number[][]][] = [
    [[], []],
    [[1, 2, 3], [[1, 2, 3]]],
    [
      [5 * MiB, 3 * MiB, 1],
      [[5 * MiB, 3 * MiB], [1]],
    ],
    [
      [1, 9 * MiB, 1],
      [[1], [9 * MiB], [1]],
    ],
    [Array(1001).fill(0), [Array(500).fill(0), Array(500).fill(0), [0]]],
  ];
  for (const [sizes, expected] of cases) {
    assert.deepEqual([...portionsOf(sizes, (size) => size)], expected);
  }
});
