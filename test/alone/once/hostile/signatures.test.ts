import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onTheWire, SmtpClient } from '#test/support/clients/smtp-client.ts';
import { assertUnharmed, measureHarm } from '#test/support/hostile/measure-harm.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const mail = await forAllTests(startMailProgram({}));
const victim = await createUser(mail.program);

/** Size of the sent bodies. A nonlinear verifier needs minutes for them. */
const megabyte = 1_000_000;

const bodyHash = '47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=';
const signature = (tags: string, more = '') =>
  `DKIM-Signature: v=1; a=rsa-sha256; d=x.test; s=s; bh=${bodyHash}; ${tags}b=AAAA${more}\r\n`;
const times = (count: number, field: (at: number) => string) =>
  Array.from({ length: count }, (_, at) => field(at)).join('');
const lengths = (canonicalization: string) =>
  times(20, (at) => signature(`h=from; c=${canonicalization}; l=${megabyte + at}; `));
const from = 'From: a@x.test\r\n';

const mails: Record<string, () => string> = {
  '20 lengths of a body of white space': () =>
    `${lengths('relaxed/relaxed')}${from}\r\n${'\t\r\n'.repeat(2 * megabyte)}`,
  '20 lengths of a body of short lines': () =>
    `${lengths('relaxed/relaxed')}${from}\r\n${'a\n'.repeat(megabyte)}`,
  '20 lengths of a body of empty lines': () =>
    `${lengths('simple/simple')}${from}\r\n${'\n'.repeat(4 * megabyte)}`,
  'a body of one line': () =>
    `${signature('h=from; c=relaxed/relaxed; ')}${from}\r\n${'a'.repeat(12 * megabyte)}`,
  'every canonicalization and hash of a body of spaces': () =>
    `${times(20, (at) =>
      signature(
        `h=from; c=${at % 2 ? 'simple' : 'relaxed'}/${at % 4 > 1 ? 'simple' : 'relaxed'}; l=${at}; `,
      ).replace('sha256', at % 3 ? 'sha256' : 'sha1'),
    )}${from}\r\n${' \t'.repeat(2 * megabyte)}\r\nx`,
  'signatures of names that no field has': () =>
    `${times(20, () => signature(`h=from${':y'.repeat(2400)}; l=0; `))}${from}${'X: a\r\n'.repeat(1800)}\r\n`,
  'signatures over a long header section': () =>
    `${times(20, () => signature('h=from:x; c=relaxed/relaxed; l=0; '))}${from}X: ${'a '.repeat(50_000)}\r\n\r\n`,
  'white space in a tag': () =>
    `${signature('h=from; ').replace('v=1', `v${' '.repeat(100_000)}=1`)}${from}\r\n`,
  'white space in short pieces in a tag': () =>
    `${times(8, () => signature('h=from; ').replace('v=1', `v${`${' '.repeat(900)}x`.repeat(15)}=1`))}${from}\r\n`,
  'fifty ARC sets': () =>
    `${times(50, (at) => {
      const i = 50 - at;
      return `ARC-Seal: i=${i}; a=rsa-sha256; cv=${i === 1 ? 'none' : 'pass'}; d=x.test; s=s; b=AAAA\r\nARC-Message-Signature: i=${i}; a=rsa-sha256; c=relaxed/relaxed; d=x.test; s=s; h=from; bh=${bodyHash}; b=AAAA\r\nARC-Authentication-Results: i=${i}; x.test; ${'none '.repeat(400)}\r\n`;
    })}${from}\r\n`,
};

/** Sends the email once over each of several connections. */
async function deliver(message: Buffer, connections: number): Promise<string[]> {
  return Promise.all(
    Array.from({ length: connections }, async () => {
      const client = await SmtpClient.open(mail.program.smtpPort, '127.0.0.2');
      await client.begin('a@x.test', [mail.user.address]);
      await client.write(message);
      const reply = await client.reply();
      client.destroy();
      return reply;
    }),
  );
}

for (const [what, build] of Object.entries(mails)) {
  test(`nobody waits for ${what}`, async () => {
    const message = onTheWire(build());
    let replies: string[] = [];
    const harm = await measureHarm(mail.program, victim, async () => {
      replies = await deliver(message, 2);
    });
    assertUnharmed(harm);
    for (const reply of replies) assert.match(reply, /^250 /);
    const { dkim } = await ok(mail.user.api.get(`/api/messages/${mail.idsOf(replies[0] ?? '')[0]}`));
    const results = dkim.map(({ result }: { result: string }) => result);
    assert.ok(!results.includes('pass'), JSON.stringify(results));
  });
}

test('nobody waits for a DNS that is silent', { timeout: 60_000 }, async () => {
  for (let at = 0; at < 20; at++) mail.dns.misbehaviour.set(`s${at}._domainkey.x.test`, 'silent');
  const message = onTheWire(
    `${times(20, (at) => signature('h=from; l=0; ').replace('s=s;', `s=s${at};`))}${from}\r\n`,
  );
  assertUnharmed(await measureHarm(mail.program, victim, () => deliver(message, 20)));
});
