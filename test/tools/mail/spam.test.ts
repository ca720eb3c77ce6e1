import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  startOddServer,
  startRspamd,
  startSpamd,
  withoutFilter,
} from '#test/support/clients/spam-servers.ts';
import { type Program, startProgram } from '#test/support/program/program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';

/** Text that filters classify as spam (GTUBE). */
const gtube = 'XJS*C4JDBQADN1.NSBN3*2IDNEN*GTUBE-STANDARD-ANTI-UBE-TEST-EMAIL*C.34X';

/** Starts a program that queries a filter, and returns the checks of a user's emails there. */
async function ask(url: string) {
  const program: Program = await startProgram({ SANDPOST_SPAM_URL: url });
  const user: User = await createUser(program);
  return {
    program,
    async spamOf(mail: { subject?: string; text?: string }) {
      const id = await deliverOne(program, { to: user.address, ...mail });
      return (await ok(user.api.get(`/api/messages/${id}/checks`))).spam;
    },
  };
}

type Rule = { name: string; score: number; description: string };

test('spamd judges a mail by its rules', { skip: withoutFilter('spamd') }, async () => {
  const { url, server } = await startSpamd();
  const { program, spamOf } = await ask(url);
  try {
    const spam = await spamOf({ text: gtube });
    assert.equal(spam.error, null);
    assert.ok(spam.score > 900 && spam.threshold === 5, JSON.stringify(spam));
    const [first]: Rule[] = spam.rules;
    assert.deepEqual(
      { ...first, description: first?.description.includes('Generic Test for Unsolicited Bulk Email') },
      { name: 'GTUBE', score: 1000, description: true },
    );
    const ham = await spamOf({ subject: 'Your order 17', text: 'Thank you for your order.' });
    assert.ok(ham.score < 5, JSON.stringify(ham));
    // The envelope records how the email arrived.
    assert.ok(!ham.rules.some(({ name }: Rule) => name === 'NO_RELAYS'), JSON.stringify(ham));
  } finally {
    await program.stop();
    // The filter's processes may outlive a kill.
    await server.end('SIGTERM');
    await server.remove();
  }
});

test('rspamd judges a mail by its symbols', { skip: withoutFilter('rspamd') }, async () => {
  const { url, server } = await startRspamd();
  const { program, spamOf } = await ask(url);
  try {
    assert.deepEqual(await spamOf({ subject: 'Cheap watches' }), {
      score: 3.5,
      threshold: 15,
      rules: [{ name: 'CHEAP', score: 3.5, description: 'Subject has a word of offers' }],
      error: null,
    });
    assert.deepEqual(await spamOf({ subject: 'Your order 17' }), {
      score: 0,
      threshold: 15,
      rules: [],
      error: null,
    });
  } finally {
    await program.stop();
    // The filter's processes outlive a kill.
    await server.end('SIGTERM');
    await server.remove();
  }
});

test('what answers in place of rspamd is told of', async () => {
  const filter = await startOddServer();
  const { program, spamOf } = await ask(`http://127.0.0.1:${filter.port}`);
  const cases: [answer: string | null, error: RegExp][] = [
    ['HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>', /cannot read the spam filter/],
    [
      'HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\nContent-Length: 0\r\n\r\n',
      /cannot read the spam filter/,
    ],
    [`HTTP/1.1 200 OK\r\n\r\n{"score": ${'1'.repeat(300_000)}`, /cannot read the spam filter/],
    // The filter checks one email per user at a time. The next case shows that the slot is free.
    ['HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n', /cannot read the spam filter/],
    ['HTTP/1.1 101 S\r\n\r\n', /cannot read the spam filter/],
    ['SPAMD/1.1 0 EX_OK\r\n\r\n', /cannot reach the spam filter \(HPE_/],
    [null, /cannot reach the spam filter \(ECONNRESET\)/],
  ];
  try {
    for (const [answer, error] of cases) {
      filter.answer = (socket) => (answer === null ? socket.resetAndDestroy() : socket.end(answer));
      assert.match((await spamOf({})).error, error);
    }
    filter.close();
    assert.match((await spamOf({})).error, /cannot reach the spam filter \(ECONNREFUSED\)/);
    assert.match(
      filter.asked[0] ?? '',
      /^POST \/checkv2 HTTP\/1\.1\r\nIp: 127\.0\.0\.1\r\nHelo: \S+\r\nFrom: shop@example\.com\r\nRcpt: qa@/,
    );
  } finally {
    await program.stop();
    filter.close();
  }
});
