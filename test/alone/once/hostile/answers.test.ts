import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { assertUnharmed, measureHarm } from '#test/support/hostile/measure-harm.ts';
import { drain, getRequest } from '#test/support/hostile/requests.ts';
import { deliver, deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { addAccounts, createUser, ok } from '#test/support/program/user.ts';

const megabyte = 1_048_576;
const controls = `${'\u0001'.repeat(70)}\r\n`;
const close = { connection: 'close' };

let long = 0;
const { program, user: victim } = await scene({});
const attacker = await createUser(program, { storage_limit: 1_000_000_000 });
const raw = Buffer.from(`Subject: long\r\n\r\n${controls.repeat((8 * megabyte) / controls.length)}`);
long = await deliverOne(program, { to: attacker.address, raw });

const read = (path: string, headers = {}) =>
  drain(program.httpPort, getRequest(path, attacker.key, { ...close, ...headers }));

test('a long text is cut, and the raw message has all of it', async () => {
  const message = await ok(attacker.api.get(`/api/messages/${long}`));
  assert.deepEqual([message.text_truncated, message.html_truncated], [true, false]);
  assert.equal(Buffer.byteLength(message.text), megabyte);
  const raw = await attacker.api.get(`/api/messages/${long}/raw`);
  assert.ok(raw.body.length > 7 * megabyte);
  const source = await ok(attacker.api.get(new URL(message.sourceUrl).pathname));
  assert.equal(source.encoding, 'utf-8');
  const hash = (bytes: string | Buffer) => createHash('sha256').update(bytes).digest('hex');
  assert.equal(hash(source.source), hash(raw.body));
});

test('a source that is no UTF-8 comes back to the byte', async () => {
  const bytes = Buffer.alloc(700_001, Buffer.from([0xff, 0x00, 0x41]));
  const raw = Buffer.concat([Buffer.from('Subject: b\r\n\r\n'), bytes, Buffer.from('\r\n')]);
  const id = await deliverOne(program, { to: attacker.address, raw });
  const stored = (await attacker.api.get(`/api/messages/${id}/raw`)).body;
  const { sourceUrl } = await ok(attacker.api.get(`/api/messages/${id}`));
  const source = await ok(attacker.api.get(new URL(sourceUrl).pathname));
  assert.equal(source.encoding, 'base64');
  assert.ok(Buffer.from(source.source, 'base64').equals(stored));
});

const loops: [string, () => Promise<unknown>][] = [
  ['read', () => read(`/api/messages/${long}`)],
  ['asked for by who has it', () => read(`/api/messages/${long}`, { 'if-none-match': '*' })],
  ['read compressed', () => read(`/api/messages/${long}`, { 'accept-encoding': 'br' })],
  [
    'read as source',
    () => read(`/api/accounts/${attacker.account.id}/mailboxes/${attacker.inbox}/messages/${long}/source`),
  ],
];
for (const [how, request] of loops) {
  test(`a message of control characters that is ${how} again and again harms nobody`, async () => {
    const harm = await measureHarm(program, victim, async () => {
      const end = performance.now() + 1500;
      while (performance.now() < end) await Promise.all([request(), request(), request(), request()]);
    });
    assertUnharmed(harm);
  });
}

test('lists of mails with long subjects and a thousand recipients are bounded, and harm nobody', async () => {
  const to = Array.from({ length: 990 }, (_, at) => `r${at}@elsewhere.test`).join(',\r\n ');
  const raw = `Subject: ${'\u0001'.repeat(63_000)}\r\nTo: ${to}\r\n\r\nhello\r\n`;
  const accounts = await addAccounts(attacker, 10);
  for (let mail = 0; mail < 20; mail += 1) await deliver(program, { to: accounts, raw });
  const { items } = await ok(attacker.api.get('/api/messages?limit=200'));
  for (const { subject, to_addresses } of items) {
    assert.ok(subject.length <= 998 && to_addresses.length <= 50);
  }
  const harm = await measureHarm(program, victim, async () => {
    const end = performance.now() + 1500;
    const list = () => read('/api/messages?limit=200');
    while (performance.now() < end) await Promise.all([list(), list(), list(), list()]);
  });
  assertUnharmed(harm);
});
