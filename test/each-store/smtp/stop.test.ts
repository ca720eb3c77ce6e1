import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { startProgram, temporaryDir } from '#test/support/program/program.ts';
import { ok } from '#test/support/program/user.ts';

test('SIGTERM: mails in DATA are finished and stored, all other connections end', async () => {
  const dataDir = await temporaryDir();
  const mail = await startMailProgram({ SANDPOST_DATA_DIR: dataDir });
  const { address, account, inbox, key } = mail.user;
  const idle = await mail.connect();
  const busy = await Promise.all(Array.from({ length: 40 }, () => mail.connect()));
  await Promise.all(busy.map((client) => client.begin('s@s.test', [address])));
  await Promise.all(busy.map((client, index) => client.write(`Subject: ${index}\r\n\r\n`)));
  const stopped = mail.stop();
  assert.match(await idle.reply(), /^421 4\.3\.2/);
  const ids = await Promise.all(
    busy.map(async (client) => {
      await client.write('done\r\n.\r\n');
      const [id = 0] = mail.idsOf(await client.reply());
      assert.match(await client.reply(), /^421 4\.3\.2/);
      return id;
    }),
  );
  assert.equal(await new SmtpClient(mail.program.smtpPort).reply(), '');
  await stopped;

  await using again = await startProgram({ SANDPOST_DATA_DIR: dataDir });
  const api = new HttpClient(again, { 'x-api-key': key });
  const list = await ok(api.get(`/api/accounts/${account.id}/mailboxes/${inbox}/messages?limit=200`));
  assert.deepEqual(
    list.items.map((item: { id: number }) => item.id).sort((a: number, b: number) => a - b),
    ids.sort((a, b) => a - b),
  );
});
