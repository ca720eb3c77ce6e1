import assert from 'node:assert/strict';
import { test } from '#test/once/web/support/browser.ts';
import { openPage } from '#test/once/web/support/web-page.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const program = await programOfAll();

test('an account that refuses mail shows, live, until room is made', async () => {
  const user = await createUser(program, { storage_limit: 1000 });
  await using at = await openPage(program, user);
  const bar = at.getByText(`${user.address} is full: mail to it is refused.`);
  assert.equal(await bar.count(), 0);
  const client = await SmtpClient.open(program.smtpPort);
  const send = (bytes: number) =>
    client.send('s@s.test', [user.address], `Subject: x\r\n\r\n${'y'.repeat(bytes)}\r\n`);
  assert.match(await send(800), /^250/);
  assert.match(await send(800), /^552/);
  await client.quit();
  await bar.waitFor();
  await bar.getByRole('link', { name: 'Free up space or raise the limit' }).click();
  await at.getByRole('heading', { name: 'Accounts' }).waitFor();
  await bar.waitFor();
  await ok(user.api.patch(`/api/accounts/${user.account.id}`, { storage_limit: 100_000 }));
  await bar.waitFor({ state: 'detached' });
});
