import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { mailpitClient } from '#test/support/clients/mailpit.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { startProcess } from '#test/support/program/process.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { differencesOf } from '#test/tools/mailpit/comparing.ts';
import { mails } from '#test/tools/mailpit/mails.ts';

const dev = await forAllTests(startProcess('dev', { SANDPOST_DATA_DIR: await temporaryDir() }));
const ask = mailpitClient({ baseUrl: `http://127.0.0.1:${dev.ports.http}`, httpPort: dev.ports.http });

/** Difference between another catcher's and Sandpost's output. */
type Values = { field: string; theirs: unknown; ours: unknown; mail: string };
/** Named differences, by the first cells of their rows in the docs. */
type Named = Record<string, (values: Values) => boolean>;

/** Returns where the newest mail after each email differs from another catcher's response, apart from named differences. */
async function unnamed(catcher: string, newest: () => Promise<Json>, named: Named): Promise<string[]> {
  const lines = readFileSync(`test/once/catchers/${catcher}.jsonl`, 'utf8').trimEnd().split('\n');
  const used = new Set<string>();
  const found: string[] = [];
  for (const { mail, answer } of lines.map((line) => JSON.parse(line))) {
    const { from, to, raw } = mails.find(({ name }) => name === mail) ?? assert.fail(mail);
    const client = await SmtpClient.open(dev.ports.smtp);
    await client.send(from, to, raw);
    await client.quit();
    for (const values of differencesOf(answer, await newest())) {
      const name = Object.keys(named).find((key) => named[key]?.({ ...values, mail }));
      if (name === undefined) found.push(JSON.stringify([mail, values]));
      else used.add(name);
    }
  }
  assert.deepEqual([...used].sort(), Object.keys(named).sort(), 'named, and not met');
  return found;
}

/** Returns the first cells of the rows in the table of differing fields. */
function rowsOf(page: string): string[] {
  const [, section = ''] = readFileSync(page, 'utf8').split('\n## Fields that differ\n');
  const [text = ''] = section.split('\n## ');
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) => row.split(' | ')[0]?.slice(2) ?? '');
}

const isNone = (value: unknown) => value === undefined;

const ofMaildev: Named = {
  '`id`': ({ field, ours }) => field === 'id' && /^\d+$/.test(String(ours)),
  '`source`': ({ field, ours }) => field === 'source' && /^\/email\/\d+\/source$/.test(String(ours)),
  '`priority`, `sizeHuman`': ({ field, ours }) => /^(?:priority|sizeHuman)$/.test(field) && isNone(ours),
  '`subject`, if the email has none': ({ field, theirs, ours }) =>
    field === 'subject' && isNone(theirs) && ours === '',
  '`date`, `time`, if the email has no Date': ({ field, mail }) =>
    /^(?:date|time)$/.test(field) && mail === 'no header but From',
  '`size`': ({ field, theirs }) => field === 'size' && theirs === 0,
  '`generatedFileName`': ({ field, ours }) =>
    field === 'attachments[].generatedFileName' && /^\d+(?:\.\w+)?$/.test(String(ours)),
  '`checksum`': ({ field, ours }) =>
    field === 'attachments[].checksum' && /^[0-9a-f]{64}$/.test(String(ours)),
  '`contentId`, if the file has none': ({ field, theirs, ours }) =>
    field === 'attachments[].contentId' && String(theirs).endsWith('@mailparser') && isNone(ours),
  '`fileName`, `contentDisposition`, `transferEncoding`, if the email has none': ({ field, theirs }) =>
    /^attachments\[\]\.(?:fileName|contentDisposition|transferEncoding)$/.test(field) && isNone(theirs),
};

const ofMailhog: Named = {
  '`ID`': ({ field, ours }) => field === 'ID' && /^\d+$/.test(String(ours)),
  '`Created`': ({ field }) => field === 'Created',
  '`Content.Headers`': ({ field, ours }) =>
    /^Content\.Headers\.(?:Received|Return-Path|Message-ID)$/.test(field) && isNone(ours),
};

test('mails in the list of MailDev are as MailDev 2.2.1 gave them, but for the differences that the docs name', async () => {
  const newest = async () => (await ask('GET', '/email')).json.at(-1);
  assert.deepEqual(await unnamed('maildev', newest, ofMaildev), []);
  assert.deepEqual(rowsOf('docs/from/maildev.md'), Object.keys(ofMaildev));
});

test('mails in the list of MailHog are as MailHog 1.0.1 gave them, but for the differences that the docs name', async () => {
  const newest = async () => (await ask('GET', '/api/v2/messages?limit=1')).json.items[0];
  assert.deepEqual(await unnamed('mailhog', newest, ofMailhog), []);
  assert.deepEqual(rowsOf('docs/from/mailhog.md'), Object.keys(ofMailhog));
});
