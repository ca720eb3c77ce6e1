import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Arrival } from '#core/messages/examine.ts';
import { contentOf } from '#core/messages/mail-record.ts';
import { MailPool } from './mail-pool.ts';

const arrival: Arrival = {
  mailFrom: 'ann@shop.test',
  helo: 'shop.test',
  remoteAddress: '192.0.2.1',
  receivedBy: 'mx.app.test',
  receivedAt: new Date('2026-11-21T10:00:00Z'),
  smtpUtf8: false,
  submitted: false,
};

/** Worker that acts on an email's first word. Returns the email's size and the number of emails that it has received. */
const script = `
import { once } from 'node:events';
import { serve } from ${JSON.stringify(new URL('../threads/serve.ts', import.meta.url).href)};
let seen = 0;
let atOnce = 0;
const waiting = [];
const say = (size) => ({ record: { size, seen, atOnce, search: {} } });
serve({ examine });
function examine({ ports }, bytes) {
  seen += 1;
  if (ports) return pull(ports);
  const text = Buffer.from(bytes).toString();
  if (text.startsWith('exit')) process.exit(3);
  if (text.startsWith('throw')) return new Promise(() => setImmediate(() => { throw new Error('boom'); }));
  if (text.startsWith('hang')) for (;;);
  if (text.startsWith('heap')) { const all = []; for (;;) all.push(new Array(1e6).fill(text)); }
  if (text.startsWith('pair')) {
    return new Promise((end) => { waiting.push(() => end(say(4))); if (waiting.length === 2) waiting.forEach((go) => go()); });
  }
  if (text.startsWith('later')) return new Promise((end) => setTimeout(() => end(say(5)), 1200));
  if (text.startsWith('once') && seen > 1) process.exit(4);
  return say(text.length);
}
async function pull(ports) {
  atOnce += 1;
  try {
    let size = 0;
    for (const port of ports) {
      for (;;) {
        port.postMessage(null);
        const [answer] = await once(port, 'message');
        if (answer.error) throw new Error(answer.error);
        if (answer.piece === null) break;
        if (Buffer.from(answer.piece).toString().startsWith('hang')) for (;;);
        size += answer.piece.length;
      }
    }
    return say(size);
  } finally {
    atOnce -= 1;
  }
}`;

const reached: string[] = [];
const entryOf = (source: string) => new URL(`data:text/javascript,${encodeURIComponent(source)}`);
const options = {
  limitReached: (name: string) => reached.push(name),
  workers: 1,
  dnsServers: [],
  maxMessageBytes: 26_214_400,
  examineTimeoutMs: 1000,
  entry: entryOf(script),
};
const pool = new MailPool(options);
after(() => pool.close());

type Answer = { size: number; seen: number; atOnce: number };
const examine = async (text: string): Promise<Answer> =>
  (await pool.examine(Buffer.from(text), arrival)) as unknown as Answer;

test('has several mails under way in one worker', async () => {
  const pair = await Promise.all([examine('pair'), examine('pair')]);
  const sizes = pair.map(({ size }) => size);
  assert.deepEqual(sizes, [4, 4]);
});

for (const word of ['exit', 'throw', 'hang', 'heap']) {
  test(`gives a mail that makes the worker ${word} the content of its header, and its neighbours theirs`, async () => {
    const mail = `${word}: 1\r\nSubject: =?utf-8?q?H=C3=A9?=\r\nFrom: Ann <Ann@shop.test>\r\n\r\nno body\r\n`;
    const [before, record, behind] = await Promise.all([
      examine('Hello'),
      pool.examine(Buffer.from(mail), arrival),
      examine('Hello, world'),
    ]);
    assert.equal(before.size, 5);
    assert.equal(behind.size, 12);
    assert.equal(record.subject, 'Hé');
    const content = contentOf(record);
    assert.deepEqual(content.from, { name: 'Ann', address: 'Ann@shop.test' });
    assert.equal(content.text, null);
    assert.equal(content.authentication.spf.result, 'temperror');
    assert.equal(content.structure.sizeBytes, Buffer.byteLength(mail));
    assert.equal((await examine('again')).size, 5);
  });
}

test('gives a mail that a worker broke with by chance its content at the second try', async () => {
  const [, { size, seen }] = await Promise.all([examine('first'), examine('once more')]);
  assert.equal(size, 9);
  assert.equal(seen, 1);
});

test('reports the limits that a mail reaches in each thread that it stops', async () => {
  reached.length = 0;
  await pool.examine(Buffer.from('hang: 1\r\n\r\n'), arrival);
  const [first, ...later] = reached;
  // On a busy machine, the thread gets so little processor time that the wall clock limit expires before the stall limit.
  assert.ok(first === 'mail.stallMs' || first === 'mail.examineMs', first);
  assert.deepEqual(later, ['mail.suspectMs', 'mail.suspectMs']);
});

test('the start of a worker counts neither for its pauses nor for the time of a mail', async () => {
  reached.length = 0;
  const busy = 'for (const begun = performance.now(); performance.now() - begun < 1200; );';
  const asleep = 'Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 4000);';
  const slow = new MailPool({ ...options, examineTimeoutMs: 5000, entry: entryOf(busy + asleep + script) });
  const answers = await Promise.all([slow.examine(Buffer.from('later'), arrival)]);
  await slow.close();
  assert.deepEqual(answers as unknown, [{ size: 5, seen: 1, atOnce: 0, search: {} }]);
  assert.deepEqual(reached, []);
});

const large = (open: () => AsyncIterable<Uint8Array>) => pool.examine({ sizeBytes: 3, open }, arrival);

test('reads large mails in pieces, twice each, one mail at a time', async () => {
  let given = 0;
  const contents = await Promise.all(
    Array.from({ length: 3 }, () =>
      large(async function* () {
        for (let piece = 0; piece < 4; piece++) {
          given += 1;
          yield Buffer.alloc(300_000);
        }
      }),
    ),
  );
  assert.equal(given, 24);
  for (const answer of contents as unknown as Answer[]) {
    assert.equal(answer.size, 2 * 4 * 300_000);
    assert.equal(answer.atOnce, 1);
  }
});

test('a large mail waits for no later mail of a party whose last one took too long', async (t) => {
  const lost: string[] = [];
  const limitReached = (name: string) => lost.push(name);
  const own = new MailPool({ ...options, limitReached, examineTimeoutMs: 2000 });
  t.after(() => own.close());
  const give = (text: string, remoteAddress: string) => {
    async function* open() {
      yield Buffer.from(text);
    }
    return own.examine({ sizeBytes: 3, open }, { ...arrival, remoteAddress });
  };
  await give('hang: 1\r\n\r\n', '192.0.2.1');
  assert.deepEqual(lost, ['mail.largeMs', 'mail.examineMs', 'mail.examineMs']);
  await give('a', '192.0.2.2');
  const later = give('hang: 1\r\n\r\n', '192.0.2.1');
  await give('b', '192.0.2.2');
  assert.equal(lost.length, 3);
  await later;
  assert.deepEqual(lost.slice(3), ['mail.examineMs', 'mail.examineMs']);
});

test('passes on the error of a source that cannot be read', async () => {
  const error = new Error('the store is gone');
  await assert.rejects(
    large(async function* () {
      yield Buffer.from('a');
      throw error;
    }),
    error,
  );
});

test('closing waits for mails under way, and takes no more', async () => {
  const closing = new MailPool({ ...options, workers: 2, maxMessageBytes: 1000 });
  const under = Promise.all([
    closing.examine(Buffer.from('Hello'), arrival),
    closing.examine(Buffer.from('exit: 1\r\nSubject: x\r\n\r\n'), arrival),
  ]);
  const closed = closing.close();
  await assert.rejects(closing.examine(Buffer.from('late'), arrival), /closed/);
  const [, content] = await under;
  assert.equal(content.subject, 'x');
  await closed;
});

test('mails of one payer are one party, from whichever addresses they come', async () => {
  const done: number[] = [];
  const send = async (payer: number, remoteAddress: string) => {
    await pool.examine(Buffer.alloc(1_048_577), { ...arrival, payer, remoteAddress });
    done.push(payer);
  };
  await Promise.all([send(1, '192.0.2.1'), send(1, '192.0.2.2'), send(1, '192.0.2.3'), send(2, '192.0.2.4')]);
  assert.deepEqual(done, [1, 1, 2, 1]);
});

test('beyond twenty that wait, questions of a user with assumed facts are refused, and those of others are not', async () => {
  const asking = new MailPool(options);
  after(() => asking.close());
  const ask = (user: number) =>
    asking.examine(Buffer.from('a'), { ...arrival, assumed: { user, records: [], dns: false } });
  const asked = await Promise.allSettled(Array.from({ length: 30 }, () => ask(1)).concat(ask(2)));
  const refused = asked.flatMap(({ status }, at) => (status === 'rejected' ? [at] : []));
  assert.deepEqual(refused, [21, 22, 23, 24, 25, 26, 27, 28, 29]);
});
