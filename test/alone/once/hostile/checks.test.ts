import assert from 'node:assert/strict';
import type { Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { createClientTable } from '#adapters/checks/client-table.ts';
import { type OddServer, startOddServer } from '#test/support/clients/spam-servers.ts';
import { assertUnharmed, measureHarm } from '#test/support/hostile/measure-harm.ts';
import { type Program, startProgram } from '#test/support/program/program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';

let program: Program;
let attacker: User;
let filter: OddServer;
before(async () => {
  filter = await startOddServer();
  filter.answer = (socket) => socket.end();
  program = await startProgram({ SANDPOST_SPAM_URL: `spamd://127.0.0.1:${filter.port}` });
  attacker = await createUser(program, { storage_limit: 1_000_000_000 });
});
after(async () => {
  await program.stop();
  filter.close();
});

/** Declarations of all properties that the client data names. */
const everything = [...createClientTable().features.values()]
  .map(({ title }) => (/^[a-z-]+$/.test(title) ? `${title}:1px;` : ''))
  .join('');

const mails = {
  'unclosed elements': '<div>'.repeat(200_000),
  'styled elements': '<b style="color:#ccc;width:1px">a'.repeat(30_000),
  'a long style sheet': `<style>${'a b>c{color:red}'.repeat(19_000)}</style>`,
  'nested rules': `<style>${'@media x{'.repeat(110_000)}`,
  'open brackets': `<style>${'('.repeat(1_000_000)}`,
  'all features': `<p style="${everything}">a</p>`,
};

test('checks of hostile mails delay nobody else', async () => {
  const ids: number[] = [];
  for (const html of Object.values(mails)) {
    const raw = `Subject: x\r\nMIME-Version: 1.0\r\nContent-Type: text/html\r\n\r\n${html.replace(/.{900}/g, '$&\r\n')}`;
    ids.push(await deliverOne(program, { to: attacker.address, raw }));
  }
  const statuses: number[] = [];
  const attack = async () => {
    const asked = ids.flatMap((id) =>
      Array.from({ length: 4 }, () => attacker.api.get(`/api/messages/${id}/checks`)),
    );
    for (const { status } of await Promise.all(asked)) statuses.push(status);
  };
  assertUnharmed(await measureHarm(program, await createUser(program), attack));
  assert.ok(statuses.includes(200), `${statuses}`);
  // A user may have only a few waiting checks.
  assert.ok(statuses.includes(429), `${statuses}`);
  const unexpected = statuses.filter((status) => ![200, 429, 503].includes(status));
  assert.deepEqual(unexpected, []);
});

const faults: Record<string, (socket: Socket) => void> = {
  hangs: () => {},
  'answers without an end': (socket) => {
    const more = () => {
      while (socket.write('x'.repeat(60_000))) {}
    };
    socket.on('drain', more);
    more();
  },
  'is away': (socket) => {
    filter.close();
    socket.destroy();
  },
};
for (const [name, answer] of Object.entries(faults)) {
  test(`a spam filter that ${name} delays nobody`, async () => {
    filter.answer = answer;
    const id = await deliverOne(program, { to: attacker.address, html: '<p>Hello</p>' });
    const errors: string[] = [];
    const attack = async () => {
      const asked = Array.from({ length: 20 }, () => ok(attacker.api.get(`/api/messages/${id}/checks`)));
      for (const { spam } of await Promise.all(asked)) errors.push(spam.error);
    };
    assertUnharmed(await measureHarm(program, await createUser(program), attack));
    assert.ok(errors.every((error) => /cannot read|cannot reach|did not respond/.test(error)));
  });
}
