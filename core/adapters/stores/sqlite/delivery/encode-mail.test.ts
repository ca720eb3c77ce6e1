import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeliveryTarget } from '#core/delivery/delivery.ts';
import { searchText } from '#core/extraction/search-text.ts';
import type { Attachment } from '#core/messages/content.ts';
import { type MailWords, mail } from '#test/conformance/mail.ts';
import { encodeMail, movable } from './encode-mail.ts';

const target: DeliveryTarget = {
  owner: 1,
  accountId: 2,
  mailbox: 'INBOX',
  deliveredTo: 'qa+x@app.test',
  tag: 'x',
  envelope: {
    mailFrom: 'Bounce@elsewhere.test',
    rcptTo: ['qa+x@app.test'],
    helo: null,
    remoteAddress: null,
    tls: false,
    receivedBy: 'app.test',
  },
};
const encode = (words: MailWords = {}) => encodeMail(mail([target], words));
async function* noBytes(): AsyncGenerator<Uint8Array> {}
const mebibyte = 1_048_576;

test('a mail is encoded as it is stored', () => {
  const bytes = Buffer.from('xSubject: hi\r\n\r\n').subarray(1);
  const encoded = encode({ bytes, subject: 'Hi', text: 'Text', receivedAt: new Date(5) });
  assert.ok(encoded.body instanceof Uint8Array);
  assert.deepEqual(Buffer.from(encoded.body), bytes);
  assert.equal(encoded.body.buffer.byteLength, bytes.length, 'a copy of its own');
  assert.deepEqual(
    [encoded.receivedAt, encoded.subject, encoded.text, encoded.html, encoded.hasAttachments],
    [5, 'Hi', 'Text', null, 0],
  );
  const detail = JSON.parse(encoded.detail);
  assert.equal(detail.date, Date.UTC(2026, 10, 21, 10));
  for (const name of ['text', 'html', 'searchText']) assert.equal(name in detail, false, name);
  assert.equal(detail.from.address, 'sender@elsewhere.test');
  const [only] = encoded.targets;
  assert.deepEqual(JSON.parse(only?.envelope ?? ''), target.envelope);
  assert.deepEqual([only?.fromAddress, only?.toAddresses], ['sender@elsewhere.test', '["qa@app.test"]']);
  assert.equal(only?.ownRecipients, 'qa+x@app.test\nqa@app.test');
});

test('a body that is there already is named, and a date that is missing stays so', () => {
  const { content, ...rest } = mail([target]);
  const encoded = encodeMail({
    ...rest,
    body: { bodyId: 9, raw: { sizeBytes: 0, open: noBytes } },
    content: { ...content, date: null },
  });
  assert.equal(encoded.body, 9);
  assert.equal(JSON.parse(encoded.detail).date, null);
});

test('attachments are noted', () => {
  const attachment = { id: 'a' } as unknown as Attachment;
  assert.equal(encode({ attachments: [attachment] }).hasAttachments, 1);
});

test('the sender that is searched for is that of the header, or of the envelope where there is none', () => {
  assert.deepEqual(encode({ subject: 'Über', from: 'Ann@x.test', to: ['B@y.test', 'c@y.test'] }).search, {
    subject: 'über',
    sender: 'ann@x.test',
    recipients: 'b@y.test\nc@y.test',
    text: 'hi',
  });
  const { sender, recipients } = encode({ from: null, to: ['b@y.test'] }).search;
  assert.deepEqual([sender, recipients], ['bounce@elsewhere.test', 'b@y.test']);
});

test('long texts are bytes, which are moved to the other thread', () => {
  const long = 'x'.repeat(mebibyte);
  const short = encode({ text: long.slice(1), html: long.slice(1) });
  assert.deepEqual(
    [typeof short.text, typeof short.html, typeof short.search.text],
    ['string', 'string', 'string'],
  );
  assert.deepEqual(movable(short), [(short.body as Uint8Array).buffer]);
  const encoded = encode({ text: long, html: long });
  for (const part of [encoded.text, encoded.html, encoded.search.text]) {
    assert.ok(part instanceof Uint8Array);
    assert.equal(part.length, mebibyte);
  }
  assert.equal(movable(encoded).length, 4);
});

test('a search text of bytes is copied, for a batch that fails is encoded once more', () => {
  const prepared = mail([target]);
  const fields = { subject: 's', from: null, recipients: [], text: 'the text' };
  const bytes = new TextEncoder().encode(searchText(fields));
  const encoded = encodeMail({
    ...prepared,
    content: { ...prepared.content, from: null, searchText: bytes },
  });
  assert.deepEqual(encoded.search.text, new TextEncoder().encode('the text'));
  assert.ok(encoded.search.text instanceof Uint8Array);
  assert.notEqual(encoded.search.text.buffer, bytes.buffer);
});
