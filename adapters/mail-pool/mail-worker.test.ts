import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { limits } from '#core/limits.ts';
import type { Arrival } from '#core/messages/examine.ts';
import { contentOf, plainText } from '#core/messages/mail-record.ts';
import { MailPool } from './mail-pool.ts';

/** Arrival of an email that the API sent. It triggers no DNS query. */
const arrival: Arrival = {
  mailFrom: 'ann@app.test',
  helo: null,
  remoteAddress: null,
  receivedBy: 'mx.app.test',
  receivedAt: new Date('2026-11-21T10:00:00Z'),
  smtpUtf8: true,
  submitted: true,
};

const pool = new MailPool({
  workers: 1,
  dnsServers: ['127.0.0.1:1'],
  maxMessageBytes: 26_214_400,
  examineTimeoutMs: 20_000,
});
after(() => pool.close());

test('examines small mails, a mail with long texts, and one that is read in pieces', async () => {
  const head =
    'From: Ann <ann@app.test>\r\nSubject: =?utf-8?q?H=C3=A9?=\r\nDate: Sat, 21 Nov 2026 10:00:00 +0000\r\n\r\n';
  const small = Buffer.from(`${head}Hello`);
  const long = Buffer.from(`${head}${'Grüße \u{1F600}\n'.repeat(200_000)}`);
  const raw = {
    sizeBytes: long.length,
    async *open() {
      for (let at = 0; at < long.length; at += 100_000) yield long.subarray(at, at + 100_000);
    },
  };
  const [first, second, inMemory, inPieces] = await Promise.all(
    [small, small, long, raw].map((source) => pool.examine(source, arrival)),
  );
  assert.deepEqual(first, second);
  assert.deepEqual(inMemory, inPieces);
  assert.ok(first !== undefined && inPieces !== undefined);
  assert.equal(first.subject, 'Hé');
  assert.equal(first.text, 'Hello');
  const { date, authentication, audit } = contentOf(first);
  assert.equal(date?.toISOString(), '2026-11-21T10:00:00.000Z');
  assert.equal(authentication.spf.result, 'none');
  assert.equal(typeof audit.passed, 'object');
  const { text, textTruncated } = contentOf(inPieces);
  assert.equal(textTruncated, true);
  assert.ok(
    long
      .subarray(Buffer.byteLength(head))
      .toString()
      .startsWith(text ?? '-'),
  );
  const searched = plainText(inPieces.search.text);
  assert.ok(searched.startsWith('gruße \u{1F600} gruße'));
  assert.ok(searched.length > limits.mail.searchedCharacters - 10);
});
