import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { type OddServer, startOddServer } from '#test/support/clients/spam-servers.ts';
import { type Program, startProgram } from '#test/support/program/program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';

let filter: OddServer;
let program: Program;
let user: User;
before(async () => {
  filter = await startOddServer();
  program = await startProgram({ SANDPOST_SPAM_URL: `spamd://127.0.0.1:${filter.port}` });
  user = await createUser(program);
});
after(async () => {
  await program.stop();
  filter.close();
});

const head = 'SPAMD/1.1 0 EX_OK\r\nContent-length: 10\r\nSpam: False ; 1.5 / 5.0\r\n\r\n';

async function spamOf(id: number) {
  return (await ok(user.api.get(`/api/messages/${id}/checks`))).spam;
}

test('the filter gets the mail as it came, below the way that it took', async () => {
  filter.answer = (socket) => socket.once('end', () => socket.end(head));
  const id = await deliverOne(program, { to: user.address, raw: 'Subject: hello\r\n\r\nThe text.\r\n' });
  assert.deepEqual(await spamOf(id), { score: 1.5, threshold: 5, rules: [], error: null });
  const [, length, body] =
    /^REPORT SPAMC\/1\.5\r\nContent-length: (\d+)\r\n\r\n([\s\S]*)$/.exec(filter.asked[0] ?? '') ?? [];
  assert.match(
    body ?? '',
    /^Received: from \S+ \(\[127\.0\.0\.1\]\)\r\n\tby localhost with ESMTP; .*\r\nSubject: hello\r\n\r\nThe text\.\r\n$/,
  );
  assert.equal(body?.length, Number(length));
});

const faults: { name: string; answer(socket: Socket): void; error: RegExp }[] = [
  { name: 'closes', answer: (socket) => socket.end(), error: /cannot read/ },
  {
    name: 'resets',
    answer: (socket) => socket.resetAndDestroy(),
    error: /cannot reach the spam filter \(ECONNRESET\)/,
  },
  { name: 'answers nonsense', answer: (socket) => socket.end('\0'.repeat(5000)), error: /cannot read/ },
  {
    name: 'refuses',
    answer: (socket) => socket.end('SPAMD/1.0 76 EX_PROTOCOL\r\n\r\n'),
    error: /cannot read/,
  },
  {
    name: 'answers without an end',
    answer(socket) {
      const more = () => {
        while (socket.write(head.repeat(1000))) {}
      };
      socket.on('drain', more);
      more();
    },
    error: /cannot read/,
  },
  { name: 'hangs', answer: () => {}, error: /did not respond within 10 s/ },
];

test('a filter that does not answer is told of, and the other checks are there', async () => {
  const id = await deliverOne(program, { to: user.address, html: '<p>Hello</p>' });
  for (const { name, answer, error } of faults) {
    filter.answer = answer;
    const checks = await ok(user.api.get(`/api/messages/${id}/checks`));
    const { error: told, ...others } = checks.spam;
    assert.match(told, error, name);
    assert.deepEqual(others, { score: null, threshold: null, rules: [] });
    assert.ok(checks.clients.length > 40);
  }
});
