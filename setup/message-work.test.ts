import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jobBounds } from '#adapters/workshop/job-bounds.ts';
import { Workshop } from '#adapters/workshop/workshop.ts';
import { Payers } from '#core/access/payers.ts';
import { Invalid, Malformed, Overloaded } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { createMessageWork } from './message-work.ts';

/** Thread entry whose reader runs the given script, and treats the request as the subject. */
const entry = (() => {
  const href = (file: string) => new URL(file, import.meta.url).href;
  const source = `import { Invalid, Malformed } from '${href('../core/errors.ts')}';
    import { serveWorkshop } from '${href('./threads.ts')}';
    serveWorkshop(async () => (bytes, { script, mark }) => {
      const read = new Function('Invalid', 'Malformed', script)(Invalid, Malformed);
      if (read !== undefined) return read;
      const qa = { name: '', address: 'qa@app.test' };
      const lists = { to: [qa], cc: [], bcc: [], replyTo: [], headers: [], attachments: [] };
      const subject = Buffer.from(bytes).toString();
      return [{ from: qa, subject, text: mark, html: null, ...lists }, ...(globalThis.more ?? [])];
    });`;
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`);
})();

function open(ms: number = limits.http.draftMs) {
  const reached: string[] = [];
  const limitReached = (name: string) => reached.push(name);
  const bounds = { ...jobBounds, composeDrafts: { ...jobBounds.composeDrafts, ms } };
  const workshop = new Workshop(entry, limitReached, bounds);
  const { composeDrafts } = createMessageWork(workshop, new Payers(() => assert.fail()), {
    limitReached,
  });
  return { composeDrafts, reached, workshop, [Symbol.asyncDispose]: () => workshop.close() };
}

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));
const bounds = { messageBytes: 1e6, requestBytes: 1e6 };
const { signal: present } = new AbortController();
const compose = (
  composeDrafts: ReturnType<typeof open>['composeDrafts'],
  { script = '', subject = 'x', user = 1, most = bounds, signal = present } = {},
) => composeDrafts({ user, signal }, bytesOf(subject), { script, mark: 'marked' }, most);

test('a request is read and composed', async () => {
  await using opened = open();
  const [made] = await compose(opened.composeDrafts, { subject: 'Hello' });
  assert.ok(made && 'message' in made);
  assert.deepEqual(made.addressees.to, ['qa@app.test']);
  assert.match(Buffer.from(made.message).toString(), /^Subject: Hello\r$/m);
  assert.match(Buffer.from(made.message).toString(), /\r\nmarked\r\n$/);
});

test('errors of the reader and messages too large together come back by their names', async () => {
  await using opened = open();
  await assert.rejects(compose(opened.composeDrafts, { script: "throw new Malformed('no')" }), Malformed);
  const violation = "throw new Invalid([{ field: 'to', message: 'no' }])";
  await assert.rejects(compose(opened.composeDrafts, { script: violation }), Invalid);
  await assert.rejects(compose(opened.composeDrafts, { most: { ...bounds, requestBytes: 50 } }), Invalid);
  await assert.rejects(compose(opened.composeDrafts, { script: 'null.x' }), /TypeError/);
});

test('a subject of two lines, a message too large and a refusal of the reader refuse one message', async () => {
  await using opened = open();
  const refused = { violations: [{ field: 'to', message: 'no' }], limits: [] };
  const script = `globalThis.more = [${JSON.stringify(refused)}]`;
  const [made, other] = await compose(opened.composeDrafts, { subject: 'a\nb', script });
  assert.ok(made && 'violations' in made);
  assert.equal(made.violations[0]?.field, 'subject');
  assert.deepEqual(other, refused);
  const [large] = await compose(opened.composeDrafts, { most: { ...bounds, messageBytes: 50 } });
  assert.ok(large && 'violations' in large);
});

/** Thread ends by script, the processor time limit in ms, and the limits that are reached. */
const deaths: [string, string, number, string[]][] = [
  ['ends', 'process.exit(1)', 60_000, []],
  ['never answers', 'for (;;);', 500, ['http.draftMs']],
  [
    'wants all memory',
    'for (const all = []; ; ) all.push(new Array(1e6).fill(1.5));',
    60_000,
    ['workshop.heapBytes'],
  ],
];

for (const [name, script, ms, limit] of deaths) {
  test(`a thread that ${name} loses its own message only`, async () => {
    await using opened = open(ms);
    const lost = compose(opened.composeDrafts, { script });
    const kept = [compose(opened.composeDrafts), compose(opened.composeDrafts, { user: 2 })];
    await assert.rejects(lost, Overloaded);
    assert.equal((await Promise.all(kept)).length, 2);
    assert.deepEqual(opened.reached, limit);
  });
}

test('users take turns, and no user has more messages waiting than the bound', async () => {
  await using opened = open();
  const done: number[] = [];
  const run = (user: number) => compose(opened.composeDrafts, { user }).then(() => done.push(user));
  const first = Array.from({ length: limits.http.drafts + 1 }, () => run(1));
  const beyond = assert.rejects(run(1), Overloaded);
  await Promise.all([...first, beyond, run(2), run(3)]);
  assert.ok(done.indexOf(2) <= 3 && done.indexOf(3) <= 4, `the order was ${done.slice(0, 10)}`);
  assert.deepEqual(opened.reached, ['http.drafts']);
});

test('messages that wait at the end are refused', async () => {
  const opened = open();
  const waiting = [compose(opened.composeDrafts, { script: 'for (;;);' }), compose(opened.composeDrafts)];
  const refused = waiting.map((one) => assert.rejects(one, Overloaded));
  await opened.workshop.close();
  await Promise.all([...refused, assert.rejects(compose(opened.composeDrafts), Overloaded)]);
});

/** Script for a request with 50 messages, each of which takes 10 ms to read. */
const slow = `const busy = () => { for (const end = performance.now() + 10; performance.now() < end; ); };
  const one = { from: { name: '', address: 'a@b.test' }, to: [], cc: [], bcc: [], replyTo: [], headers: [], attachments: [] };
  return (function* () { for (let at = 0; at < 50; at += 1) { busy(); yield { ...one, subject: 'x', text: '', html: null }; } })()`;

test('a message does not wait for a request of another that takes longer than its turn', async () => {
  await using opened = open();
  const done: string[] = [];
  const made = compose(opened.composeDrafts, { script: slow }).then((all) => done.push(`long ${all.length}`));
  const other = compose(opened.composeDrafts, { user: 2 }).then(() => done.push('short'));
  await Promise.all([made, other]);
  assert.deepEqual(done, ['short', 'long 50']);
});

test('a request whose client hangs up is dropped where it waits, and its thread is ended where it is made', async () => {
  await using opened = open(60_000);
  const [running, waiting] = [new AbortController(), new AbortController()];
  const made = compose(opened.composeDrafts, { script: 'for (;;);', signal: running.signal });
  const behind = compose(opened.composeDrafts, { user: 2, signal: waiting.signal });
  const next = compose(opened.composeDrafts, { user: 3 });
  waiting.abort();
  await assert.rejects(behind, Overloaded);
  // Another user's drafts are composed once the endless job has left the shared thread.
  await next;
  running.abort();
  await assert.rejects(made, Overloaded);
  await assert.rejects(compose(opened.composeDrafts, { signal: AbortSignal.abort() }), Overloaded);
  await compose(opened.composeDrafts);
  assert.deepEqual(opened.reached, []);
});
