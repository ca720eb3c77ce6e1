import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type LargeKind, largeMail, letters, subjectOf } from './mails.ts';

test('a letter has 4,096 bytes before the line that ends it, and a number of its own', () => {
  const next = letters('qa@bench.test', 41);
  const [first, second] = [next(), next()];
  for (const mail of [first, second]) assert.equal(mail.length, 4096 + 3);
  assert.match(first.toString(), new RegExp(`Subject: Your ${subjectOf(41)} is`));
  assert.match(second.toString(), /Message-ID: <00000042\.bench@/);
});

for (const kind of ['attachment', 'text', 'html'] satisfies LargeKind[]) {
  test(`a large mail that is ${kind} has the size asked for, and ends its lines with CRLF`, () => {
    for (const size of [100_000, 100_001, 100_077]) {
      const mail = largeMail('qa@bench.test', kind, size).toString('latin1');
      assert.equal(mail.length, size + 3);
      assert.ok(mail.endsWith('\r\n.\r\n'));
      assert.doesNotMatch(mail, /(?<!\r)\n|\r(?!\n)/);
    }
  });
}
