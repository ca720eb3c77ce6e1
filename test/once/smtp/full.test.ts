import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const mail = await forAllTests(startMailProgram({}));

const content = (bytes: number) => `Subject: x\r\n\r\n${'y'.repeat(bytes - 16)}\r\n`;
const lines = (event: string) => mail.program.log.filter((line) => line.event === event);

test('mail that a full account refuses is one warning, however much and in whatever way it comes', async () => {
  const address = `small@${mail.user.domain.domain}`;
  await ok(mail.user.api.post('/api/accounts', { address, storage_limit: 1000 }));
  const refused = lines('mail.refused').length;
  const client = await mail.connect();
  assert.match(await client.send('s@s.test', [address], content(900)), /^250/);
  for (let index = 0; index < 4; index += 1) {
    const tagged = address.replace('@', `+${index}@`);
    assert.match(await client.send('s@s.test', [tagged], content(200)), /^552 5\.2\.2/);
    const sized = await mail.connect();
    await sized.command('MAIL FROM:<s@s.test> SIZE=200');
    assert.match(await sized.command(`RCPT TO:<${tagged}>`), /^552 5\.2\.2/);
    await sized.quit();
  }
  await client.quit();
  await until(() => lines('account.full').length > 0);
  const [line, ...more] = lines('account.full');
  assert.deepEqual(more, []);
  const { level, account, used, limit, times, err } = line ?? {};
  assert.deepEqual([level, account, used, limit, times, err], [40, address, 900, 1000, 1, undefined]);
  assert.equal(lines('mail.refused').length, refused);

  const { api } = mail.user;
  const full = async () => (await ok(api.get('/api/storage'))).full_accounts;
  const [account_] = (await ok(api.get(`/api/accounts?address=${address}`))).items;
  assert.deepEqual(await full(), [{ id: account_.id, address }]);
  assert.equal(account_.is_full, true);
  assert.equal((await ok(api.get(`/api/accounts/${mail.user.account.id}`))).is_full, false);
  const ops = (path: string) => fetch(`http://127.0.0.1:${mail.program.opsPorts.smtp}/${path}`);
  await until(async () => /^sandpost_full_accounts 1$/m.test(await (await ops('metrics')).text()));
  const ready = await ops('readyz');
  assert.deepEqual([ready.status, await ready.text()], [200, 'ok\nfull accounts, which refuse mail: 1\n']);

  const { items } = await ok(api.get(`/api/messages?to=${address}`));
  await ok(api.delete(`/api/messages/${items[0]?.id ?? 0}`));
  assert.deepEqual(await full(), []);
  await until(async () => (await (await ops('readyz')).text()) === 'ok\n');
});

test('what is read out of a mail counts, where it is many times as long as the mail', async () => {
  const address = `parts@${mail.user.domain.domain}`;
  const account = await ok(mail.user.api.post('/api/accounts', { address }));
  const client = await mail.connect();
  const parts = '--b\r\n\r\n'.repeat(1000);
  const digest = `Subject: x\r\nContent-Type: multipart/digest; boundary=b\r\n\r\n${parts}--b--\r\n`;
  assert.match(await client.send('s@s.test', [address], digest), /^250/);
  const { used_bytes } = await ok(mail.user.api.get(`/api/accounts/${account.id}`));
  assert.ok(used_bytes > 10 * digest.length, `${used_bytes} of ${digest.length}`);
  const [{ id, size_bytes }] = (await ok(mail.user.api.get(`/api/messages?to=${address}`))).items;
  assert.equal(size_bytes, digest.length);
  await ok(mail.user.api.delete(`/api/messages/${id}`));
  assert.equal((await ok(mail.user.api.get(`/api/accounts/${account.id}`))).used_bytes, 0);
  await client.quit();
});
