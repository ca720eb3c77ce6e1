import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { getPriority, platform } from 'node:os';
import { after, test } from 'node:test';
import type { Clause } from '#core/assertions/clause.ts';
import type { MatchJob } from '#core/delivery/match-mail.ts';
import { Overloaded, TooMany } from '#core/errors.ts';
import { jobBounds } from './job-bounds.ts';
import { Workshop } from './workshop.ts';

const reached: string[] = [];
const limitReached = (name: string) => reached.push(name);
const entry = new URL('../../commands/workshop-worker.ts', import.meta.url);
const workshop = new Workshop(entry, limitReached);
after(() => workshop.close());

/** Compares a team's queries with an email. */
async function matches(team: number, job: MatchJob, shop = workshop) {
  const instead = () => ({ matched: [new Set<number>()], late: false });
  return shop.run('matchQueries', String(team), () => [job], { instead });
}

const content = { headers: [], attachments: [], codes: [], links: [], cc: [], bcc: [], date: null };

function job(text: string, queries: string[]): MatchJob {
  const search = { subject: 'welcome', sender: '', recipients: '', text };
  return {
    mail: { json: JSON.stringify(content), sizeBytes: 10, search, hasHtml: false },
    targets: [{ ownRecipients: '', addresses: [], authenticatedAs: null, sender: null }],
    queries,
  };
}

test('rules are applied in another thread', async () => {
  const { matched } = await matches(7, job('your code', ['code', 'subject:code', 'subject:welcome']));
  assert.deepEqual(matched, [new Set([0, 2])]);
  assert.deepEqual(reached, []);
});

test('a mail that takes too much time gets what the rules before say, and others are served', async () => {
  const text = 'a'.repeat(262_144);
  const slow = Array.from({ length: 50 }, (_, index) => `-${'a'.repeat(8)}b${index}`).join(' ');
  const jobs = Array.from({ length: 2000 }, () => slow);
  const slowly = matches(8, job(text, ['subject:welcome', ...jobs]));
  const other = await matches(9, job('', ['subject:welcome']));
  assert.deepEqual(other.matched, [new Set([0])]);
  const { late, matched } = await slowly;
  assert.ok(late);
  assert.ok(matched[0]?.has(0));
  assert.ok((matched[0]?.size ?? 0) < jobs.length);
});

test('a mail that has waited for the rules of its team for too long gets none, and those of others do not wait', async () => {
  const matchQueries = { ...jobBounds.matchQueries, waitMs: 10 };
  const impatient = new Workshop(entry, limitReached, { ...jobBounds, matchQueries });
  after(() => impatient.close());
  const all = await Promise.all(
    [7, 7, 7, 8].map((team) => matches(team, job('', ['subject:welcome']), impatient)),
  );
  // A thread never starts within 10 ms, and each team's first job starts it.
  assert.deepEqual(
    all.map(({ matched }) => matched[0]?.size),
    [1, 0, 0, 1],
  );
  assert.deepEqual(reached, ['mail.rulesWaitMs', 'mail.rulesWaitMs']);
  const { matched } = await matches(7, job('', ['subject:welcome']), impatient);
  assert.deepEqual(matched, [new Set([0])]);
});

const marks = Array.from({ length: 100 }, (_, at) => at + 1).values();

/** Clauses whose expressions each take some milliseconds to parse. V8 parses an identical expression only once. */
const clauses = (count: number, mark = marks.next().value) =>
  Array.from({ length: count }, (_, at): Clause => {
    return { on: 'text', test: { operator: 'matches', value: `${'\\p{L}'.repeat(160)}${mark}x${at}` } };
  });
const check = (party: string, count: number, shop = workshop, mark?: number) =>
  shop.run('checkPatterns', party, () => [clauses(count, mark)]);

test('a job that takes longer than a turn goes on beside those of others, which come before', async () => {
  const done: string[] = [];
  const run = (party: string, count: number) => check(party, count).then(() => done.push(party));
  await Promise.all([run('many', 100), run('one', 1), run('two', 1)]);
  // A busy machine may take more than a first turn for one of the short jobs.
  assert.deepEqual([done.slice(0, 2).sort(), done[2]], [['one', 'two'], 'many']);
});

test('a party whose jobs were long begins beside the others, one job at a time', async () => {
  await check('ever', 100);
  const done: string[] = [];
  const long = [1, 2].map(() => check('ever', 100).then(() => done.push('long')));
  await check('never', 1).then(() => done.push('short'));
  await Promise.all(long);
  assert.deepEqual(done, ['short', 'long', 'long']);
});

test('a job that is late is refused, and at once for some time; another one of the party is not', async () => {
  reached.length = 0;
  const short = new Workshop(entry, limitReached, {
    ...jobBounds,
    checkPatterns: { ...jobBounds.checkPatterns, ms: 500 },
  });
  after(() => short.close());
  await check('late', 1, short);
  await assert.rejects(check('late', 1000, short, 0), Overloaded);
  assert.deepEqual(reached, ['assertions.ms']);
  await assert.rejects(check('late', 1000, short, 0), /a few minutes ago/);
  assert.deepEqual(reached, ['assertions.ms']);
  await check('late', 2, short);
});

test('the first long jobs of many parties delay the job of another by a turn each, and its party comes before theirs', async () => {
  const shop = new Workshop(entry, limitReached);
  after(() => shop.close());
  const done: string[] = [];
  const write = (party: string) =>
    shop.run('writeDocument', party, () => ['<p>a</p>', []]).then(() => done.push(party));
  await write('warm');
  const many = ['a', 'b', 'c'].flatMap((party) => [
    check(party, 50, shop).then(() => done.push('long')),
    write(party),
  ]);
  await Promise.all([...many, write('other')]);
  assert.deepEqual(done.slice(0, 2), ['warm', 'other']);
});

test('the first jobs of many parties delay that of another by a short turn each, however many each has', async () => {
  const shop = new Workshop(entry, limitReached);
  after(() => shop.close());
  const done: string[] = [];
  const write = (party: string, html: string) =>
    shop.run('writeDocument', party, () => [html, []]).then(() => done.push(party));
  for (const _ of [1, 2, 3]) await write('warm', '<p>a</p>');
  const many = ['a', 'b', 'c', 'd'].flatMap((party) => [
    check(party, 8, shop).then(() => done.push(party)),
    write(party, '<b style="color:red">a'.repeat(5_000)),
  ]);
  await Promise.all([...many, write('other', '<p>a</p>')]);
  assert.deepEqual(done.slice(0, 4), ['warm', 'warm', 'warm', 'other']);
});

test('a job whose client has gone before the turn of its party is dropped, and reads nothing', async () => {
  const { promise: read, resolve } = Promise.withResolvers<Clause[]>();
  const first = workshop.run('checkPatterns', 'gone', async () => [await read]);
  const client = new AbortController();
  const { signal } = client;
  const second = workshop.run('checkPatterns', 'gone', () => assert.fail('was read'), { signal });
  client.abort();
  resolve([]);
  await first;
  await assert.rejects(second, Overloaded);
});

const noPriorities = platform() !== 'linux' && 'only threads of Linux have priorities';

test('the thread of a long job runs where others leave time, and the shared one beside them', {
  skip: noPriorities,
}, async () => {
  const shop = new Workshop(entry, limitReached);
  after(() => shop.close());
  // Field 19 of proc_pid_stat(5), counted after the name.
  const priorityOf = (id: string) =>
    Number(readFileSync(`/proc/self/task/${id}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[16]);
  const lowered = () => readdirSync('/proc/self/task').filter((id) => priorityOf(id) > getPriority());
  // Threads of other workshops in this process end after some idle time.
  const before = new Set(lowered());
  const added = () => lowered().filter((id) => !before.has(id)).length;
  await check('short', 1, shop);
  assert.equal(added(), 0);
  await check('long', 200, shop);
  assert.equal(added(), 1);
});

test('jobs that wait at the end are refused', async () => {
  const shop = new Workshop(entry, limitReached);
  const waiting = ['a', 'a', 'b'].map((party) => assert.rejects(check(party, 100, shop), Overloaded));
  await new Promise(setImmediate);
  await shop.close();
  await Promise.all([...waiting, assert.rejects(check('c', 1, shop), Overloaded)]);
});

test('jobs beyond the bound of a party are refused', async () => {
  reached.length = 0;
  const bounds = { ...jobBounds, checkPatterns: { ...jobBounds.checkPatterns, waiting: 1 } };
  const shop = new Workshop(entry, limitReached, bounds);
  after(() => shop.close());
  const jobs = [1, 2].map(() => check('a', 1, shop));
  await assert.rejects(check('a', 1, shop), TooMany);
  await Promise.all([...jobs, check('b', 1, shop)]);
  assert.deepEqual(reached, ['assertions.waiting']);
});
