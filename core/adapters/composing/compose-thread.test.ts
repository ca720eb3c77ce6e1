import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { MailComposer } from '#core/delivery/compose.ts';
import { Invalid, Malformed, Overloaded } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { createMailComposer } from './compose-thread.ts';

const origin = { from: 'qa@app.test', date: new Date('2026-11-21T10:00:00Z'), messageIdDomain: 'app.test' };

/** A reader that runs `script` and takes the request as the subject. */
function readerThat(script: string): URL {
  const errors = new URL('../../errors.ts', import.meta.url).href;
  const source = `import { Invalid, Malformed } from '${errors}';
    export function readDraft(bytes) {
      ${script};
      const subject = Buffer.from(bytes).toString();
      return { to: ['qa@app.test'], cc: [], bcc: [], replyTo: [], subject, text: null, html: null };
    }`;
  return new URL(`data:text/javascript,${encodeURIComponent(source)}`);
}

function open(timeoutMs?: number) {
  const reached: string[] = [];
  const metrics = { limitReached: (name: string) => reached.push(name) };
  const composer = createMailComposer({ metrics, ...(timeoutMs === undefined ? {} : { timeoutMs }) });
  return { composer, reached, [Symbol.asyncDispose]: () => composer.close() };
}

const bytesOf = (text: string) => new Uint8Array(Buffer.from(text));
const compose = (composer: MailComposer, { script = '', subject = 'x', user = 1, maxBytes = 1e6 } = {}) =>
  composer.compose(user, { bytes: bytesOf(subject), reader: readerThat(script) }, origin, maxBytes);

test('a request is read and composed', async () => {
  await using opened = open();
  const { addressees, message } = await compose(opened.composer, { subject: 'Hello' });
  assert.deepEqual(addressees.to, ['qa@app.test']);
  assert.match(Buffer.from(message).toString(), /^Subject: Hello\r$/m);
});

test('errors of the reader, a subject of two lines and a message too large come back by their names', async () => {
  await using opened = open();
  await assert.rejects(compose(opened.composer, { script: "throw new Malformed('no')" }), Malformed);
  const violation = "throw new Invalid([{ field: 'to', message: 'no' }])";
  await assert.rejects(compose(opened.composer, { script: violation }), Invalid);
  await assert.rejects(compose(opened.composer, { subject: 'a\nb' }), /subject/);
  await assert.rejects(compose(opened.composer, { maxBytes: 50 }), Invalid);
  await assert.rejects(compose(opened.composer, { script: 'null.x' }), /TypeError/);
});

/** Ends of a thread by its script, the time limit in ms, and the limits that are reached. */
const deaths: [string, string, number, string[]][] = [
  ['ends', 'process.exit(1)', 60_000, []],
  ['never answers', 'for (;;);', 2000, ['http.draftMs']],
  [
    'wants all memory',
    'for (const all = []; ; ) all.push(new Array(1e6).fill(1.5));',
    60_000,
    ['http.draftHeapBytes'],
  ],
];

for (const [name, script, timeoutMs, limit] of deaths) {
  test(`a thread that ${name} loses its own message only`, async () => {
    await using opened = open(timeoutMs);
    const lost = compose(opened.composer, { script });
    const kept = [compose(opened.composer), compose(opened.composer, { user: 2 })];
    await assert.rejects(lost, Overloaded);
    assert.equal((await Promise.all(kept)).length, 2);
    assert.deepEqual(opened.reached, limit);
  });
}

test('users take turns, and no user has more messages waiting than the bound', async () => {
  await using opened = open();
  const done: number[] = [];
  const run = (user: number) => compose(opened.composer, { user }).then(() => done.push(user));
  const first = Array.from({ length: limits.http.drafts + 1 }, () => run(1));
  const beyond = assert.rejects(run(1), Overloaded);
  await Promise.all([...first, beyond, run(2), run(3)]);
  assert.ok(done.indexOf(2) <= 3 && done.indexOf(3) <= 4, `the order was ${done.slice(0, 10)}`);
  assert.deepEqual(opened.reached, ['http.drafts']);
});

test('messages that wait at the end are refused', async () => {
  const opened = open();
  const waiting = [compose(opened.composer, { script: 'for (;;);' }), compose(opened.composer)];
  const refused = waiting.map((one) => assert.rejects(one, Overloaded));
  await opened.composer.close();
  await Promise.all([...refused, assert.rejects(compose(opened.composer), Overloaded)]);
});
