import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { mailCorpus } from '#test/support/runner/fetch-mail-corpus.ts';
import { durationOf, shortest } from '#test/support/runner/shortest.ts';

const senders = 8;

/** Returns the corpus's emails, or the reason why it has none. */
function corpus(): string[] | string {
  try {
    return mailCorpus();
  } catch (error) {
    return `mails of others could not be downloaded: ${error instanceof Error ? error.message.split('\n')[0] : error}`;
  }
}

/** Encodes a file for SMTP: every line ends with CRLF, including the last. */
function onCrlf(file: string): Buffer {
  const text = readFileSync(file, 'latin1').replaceAll(/\r?\n/g, '\r\n');
  return Buffer.from(text.endsWith('\r\n') ? text : `${text}\r\n`, 'latin1');
}

const files = corpus();

test('mails that others wrote come in, and come back as they were', {
  skip: typeof files === 'string' && files,
}, async (t) => {
  assert.ok(Array.isArray(files) && files.length >= 200, `${files.length} mails`);
  const mail = await startMailProgram();
  t.after(() => mail.stop());
  const slow: string[] = [];
  let sent = 0;
  const queue = files.values();
  await Promise.all(
    Array.from({ length: senders }, async () => {
      const client = await mail.connect();
      for (const file of queue) {
        const name = path.relative(path.dirname(path.dirname(file)), file);
        const bytes = onCrlf(file);
        let id = 0;
        const ms = await shortest(2000, () =>
          durationOf(async () => {
            const reply = await client.send('sender@sender.test', [mail.user.address], bytes);
            assert.match(reply, /^250 /, `${name}: ${reply}`);
            [id = 0] = mail.idsOf(reply);
            sent += 1;
          }),
        );
        if (ms >= 2000) slow.push(`${name} ${ms.toFixed(0)} ms`);
        assert.ok(bytes.equals(await mail.raw(id)), name);
        const full = await mail.user.api.get(`/api/messages/${id}`);
        assert.equal(full.status, 200, name);
        assert.equal(full.json.size_bytes, bytes.length, name);
      }
      await client.quit();
    }),
  );
  assert.equal(await mail.count(), sent);
  t.diagnostic(`${files.length} mails, each accepted, identical byte for byte, and readable`);
  assert.deepEqual(slow, []);
});
