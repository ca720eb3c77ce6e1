import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseMail } from '#adapters/mime/mail-parser.ts';
import type { Draft } from '#core/delivery/compose.ts';
import { composeMail } from './mail-composer.ts';

const named = (address: string, name = '') => ({ name, address });
const bare: Draft = {
  from: named('qa@app.test'),
  to: [named('a@app.test')],
  cc: [],
  bcc: [],
  replyTo: [],
  subject: '',
  text: null,
  html: null,
  headers: [],
  attachments: [],
};
const maxBytes = 1024 * 1024;

async function compose(draft: Partial<Draft>) {
  const { message: bytes } = await composeMail({ ...bare, ...draft }, maxBytes);
  const arrival = { mailFrom: '', helo: null, remoteAddress: null, receivedBy: 'mx.test' };
  const parsed = await parseMail(bytes, {
    ...arrival,
    receivedAt: new Date(),
    smtpUtf8: true,
    submitted: true,
  });
  return { ...parsed, source: Buffer.from(bytes).toString() };
}

test('an empty message has the required fields', async () => {
  const { content, facts } = await compose({});
  assert.deepEqual(
    content.headers.map(({ name }) => name.toLowerCase()).sort(),
    ['content-type', 'date', 'from', 'message-id', 'mime-version', 'to'].sort(),
  );
  assert.match(content.msgid ?? '', /^<[0-9a-f-]{36}@app\.test>$/);
  assert.ok(Math.abs(Number(content.date) - Date.now()) < 60_000);
  assert.equal(facts.parseError, null);
});

test('bodies come back as they were written, in alternatives when there are two', async () => {
  const { content } = await compose({
    text: 'Grüße\n.\n日本 🎉',
    html: '<p>Grüße</p>',
    subject: 'Grüße 日本 🎉',
  });
  assert.equal(content.text?.replaceAll('\r\n', '\n').trimEnd(), 'Grüße\n.\n日本 🎉');
  assert.equal(content.html?.trimEnd(), '<p>Grüße</p>');
  assert.equal(content.subject, 'Grüße 日本 🎉');
  assert.equal(content.structure.contentType, 'multipart/alternative');
});

test('lines of a message end with CRLF, whatever ends those of the draft', async () => {
  const text = `a\rb\nc\r\nd\n\n${'x'.repeat(2000)}`;
  const { source, facts } = await compose({ text, html: text, subject: 'word '.repeat(400) });
  assert.doesNotMatch(source.replaceAll('\r\n', ''), /[\r\n]/);
  assert.ok(facts.longestLine <= 998, `a line of ${facts.longestLine} octets`);
});

test('Bcc is not written, the other addressees are', async () => {
  const { content, source } = await compose({
    to: [named('a@app.test'), named('b@app.test')],
    cc: [named('c@app.test')],
    bcc: [named('secret@app.test')],
    replyTo: [named('r@app.test'), named('s@app.test')],
  });
  assert.doesNotMatch(source, /secret/i);
  assert.deepEqual(
    [content.to, content.cc, content.replyTo].map((list) => list.map(({ address }) => address)),
    [['a@app.test', 'b@app.test'], ['c@app.test'], ['r@app.test', 's@app.test']],
  );
});

test('nothing in a draft becomes another header, an address more, or a file', async () => {
  const { content } = await compose({
    to: [named('a@app.test, evil@x.test', 'evil@x.test,')],
    subject: 'a\r\nBcc: evil@x.test',
    text: '/etc/passwd',
    html: 'file:///etc/passwd',
  });
  assert.equal(content.bcc.length, 0);
  assert.ok(!content.to.some(({ address }) => address === 'evil@x.test'));
  assert.equal(content.text?.trimEnd(), '/etc/passwd');
  assert.equal(content.html?.trimEnd(), 'file:///etc/passwd');
});
