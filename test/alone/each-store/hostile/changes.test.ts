import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onTheWire, SmtpClient } from '#test/support/clients/smtp-client.ts';
import { assertUnharmed, measureHarm } from '#test/support/hostile/measure-harm.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { addAccounts, createUser, ok } from '#test/support/program/user.ts';

const { program, user: victim } = await scene({});
const attacker = await createUser(program);

test('mails to many accounts with many references delay nobody', async () => {
  const recipients = await addAccounts(attacker, 100);
  let serial = 0;
  const mail = () => {
    const references = Array.from({ length: 100 }, () => `<${serial++}@x>`).join('\r\n ');
    return onTheWire(`References: ${references}\r\n\r\nhello\r\n`);
  };
  const harm = await measureHarm(program, victim, () =>
    Promise.all(
      Array.from({ length: 10 }, async () => {
        const client = await SmtpClient.open(program.smtpPort, '127.0.0.2');
        for (let sent = 0; sent < 3; sent += 1) {
          await client.begin('a@x.test', recipients);
          await client.write(mail());
          assert.match(await client.reply(), /^250 /);
        }
        client.destroy();
      }),
    ),
  );
  assertUnharmed(harm);
});

test('hundreds of changes that a user requests at once delay nobody', async () => {
  const id = await deliverOne(program, { to: attacker.address, text: 'x'.repeat(20_000) });
  const statuses: number[] = [];
  const change = async (_: unknown, at: number) => {
    const { status } = await attacker.api.patch(`/api/messages/${id}`, { is_read: at % 2 === 0 });
    statuses.push(status);
  };
  const harm = await measureHarm(program, victim, async () => {
    // An address may open 500 connections.
    for (let round = 0; round < 2; round += 1) await Promise.all(Array.from({ length: 300 }, change));
  });
  assert.ok(statuses.includes(200) && statuses.every((status) => status === 200 || status === 429));
  assertUnharmed(harm);
});

test('changes of a long message, one after the other, leave little behind', async () => {
  const id = await deliverOne(program, { to: attacker.address, text: 'long text '.repeat(60_000) });
  const harm = await measureHarm(program, victim, async () => {
    for (let at = 0; at < 250; at += 1) {
      await ok(attacker.api.patch(`/api/messages/${id}`, { is_read: at % 2 === 0 }));
    }
  });
  assertUnharmed(harm, { memoryBytes: 120e6 });
});
