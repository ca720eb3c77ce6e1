import assert from 'node:assert/strict';
import { test } from 'node:test';
import { StoreUnavailable } from '#core/errors.ts';
import type { DeliveryVerdict, PreparedMail } from './delivery.ts';
import { createGroupCommit } from './group-commit.ts';

/** A mail as far as grouping looks at it: the lane it goes by, what it weighs, and a mark to know it by. */
const mail = (lane: string | null, mark: number, sizeBytes = 1) => ({ lane, mark, sizeBytes });
type Fake = ReturnType<typeof mail>;

/** A store whose commits end when the test says so. */
function fakeStore(limits?: { mails: number; bytes: number }) {
  const commits: { marks: number[]; next?: () => void; end(): void; fail(error: Error): void }[] = [];
  const as = (mails: PreparedMail[]) => mails as unknown as Fake[];
  const commit = createGroupCommit(
    {
      lane: (prepared) => as([prepared])[0]?.lane ?? null,
      commitDeliveries: (mails, next) =>
        new Promise((resolve, reject) => {
          const marks = as(mails).map(({ mark }) => mark);
          const end = () => {
            next?.();
            resolve(marks.map((mark): DeliveryVerdict => ({ ids: [mark], commits: [] })));
          };
          commits.push({ marks, ...(next && { next }), end, fail: reject });
        }),
    },
    limits,
  );
  return { commits, commit: (fake: Fake) => commit(fake as unknown as PreparedMail) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('mails gather while their lane is busy, and get their own verdicts', async () => {
  const { commits, commit } = fakeStore();
  const verdicts = [1, 2, 3].map((mark) => commit(mail('a', mark)));
  assert.deepEqual(
    commits.map(({ marks }) => marks),
    [[1]],
  );
  commits[0]?.end();
  await turn();
  assert.deepEqual(
    commits.map(({ marks }) => marks),
    [[1], [2, 3]],
  );
  commits[1]?.end();
  assert.deepEqual(
    (await Promise.all(verdicts)).map((verdict) => 'ids' in verdict && verdict.ids),
    [[1], [2], [3]],
  );
  void commit(mail('a', 4));
  assert.deepEqual(commits.at(-1)?.marks, [4], 'an idle lane begins at once');
});

test('lanes do not wait for each other, and a mail without one goes by itself', () => {
  const { commits, commit } = fakeStore();
  for (const fake of [mail('a', 1), mail('b', 2), mail(null, 3), mail(null, 4)]) void commit(fake);
  assert.deepEqual(
    commits.map(({ marks }) => marks),
    [[1], [2], [3], [4]],
  );
});

test('a batch holds at most so many mails and bytes, and at least one mail', async () => {
  const cases: [string, number[], { mails: number; bytes: number }, number[][]][] = [
    ['by mails', [1, 1, 1, 1, 1], { mails: 2, bytes: 100 }, [[0], [1, 2], [3, 4]]],
    ['one at a time', [1, 1, 1], { mails: 1, bytes: 100 }, [[0], [1], [2]]],
    ['by bytes', [1, 4, 6, 1], { mails: 9, bytes: 10 }, [[0], [1, 2], [3]]],
    ['one is too large', [1, 99, 99, 1], { mails: 9, bytes: 10 }, [[0], [1], [2], [3]]],
  ];
  for (const [name, sizes, limits, batches] of cases) {
    const { commits, commit } = fakeStore(limits);
    for (const [mark, size] of sizes.entries()) void commit(mail('a', mark, size));
    for (let i = 0; i < batches.length; i += 1) {
      commits[i]?.end();
      await turn();
    }
    assert.deepEqual(
      commits.map(({ marks }) => marks),
      batches,
      name,
    );
  }
});

test('a failing commit rejects its mails and lets the next ones go on', async () => {
  const { commits, commit } = fakeStore();
  const first = commit(mail('a', 1));
  const second = commit(mail('a', 2));
  commits[0]?.fail(new Error('disk'));
  await assert.rejects(first, /disk/);
  await turn();
  commits[1]?.end();
  assert.deepEqual(await second, { ids: [2], commits: [] });
});

test('a mail that cannot be committed takes no other along', async () => {
  const { commits, commit } = fakeStore();
  const [first, second, third] = [1, 2, 3].map((mark) => commit(mail('a', mark)));
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
  assert.deepEqual(
    commits.map(({ marks }) => marks),
    [[1], [2, 3], [2], [3]],
  );
});

test('where the store is away a batch is not tried mail by mail', async () => {
  const { commits, commit } = fakeStore();
  const verdicts = [1, 2, 3].map((mark) => commit(mail('a', mark)));
  commits[0]?.end();
  await turn();
  commits[1]?.fail(new StoreUnavailable('away'));
  for (const verdict of verdicts.slice(1)) await assert.rejects(verdict, StoreUnavailable);
  assert.equal(commits.length, 2);
});

test('the next batch begins when the store says so, and is answered after the one before', async () => {
  const { commits, commit } = fakeStore();
  const answered: number[] = [];
  const send = (mark: number) => commit(mail('a', mark)).finally(() => answered.push(mark));
  const verdicts = [1, 2, 3].map(send);
  commits[0]?.next?.();
  await turn();
  assert.deepEqual(
    commits.map(({ marks }) => marks),
    [[1], [2, 3]],
  );
  void send(4);
  commits[1]?.end();
  await turn();
  assert.deepEqual(answered, []);
  assert.equal(commits.length, 3, 'the third does not wait for the answer of the first');
  commits[0]?.fail(new Error('undone'));
  await assert.rejects(verdicts[0] ?? Promise.resolve(), /undone/);
  await Promise.all(verdicts.slice(1));
  assert.deepEqual(answered, [1, 2, 3]);
});
