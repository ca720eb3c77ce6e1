import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { withoutMailpit } from '#test/bench/mailpit-binary.ts';
import { startMailpit } from '#test/bench/servers.ts';
import { startProcess } from '#test/support/program/process.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { deliver } from '#test/support/program/program-mail.ts';
import { type Difference, Pair } from './comparing.ts';
import { named } from './differences.ts';
import { generatedMails } from './generated-mails.ts';
import { mails } from './mails.ts';
import { askAll, askOf, change, search, sendByApi, view } from './requests.ts';

const all = [...mails, ...generatedMails];

/** Returns where a Mailpit and Sandpost differ in all their responses about the emails. */
async function differences(): Promise<Difference[]> {
  await using started = new AsyncDisposableStack();
  const mailpit = await startMailpit();
  started.defer(mailpit.stop);
  const settings = { SANDPOST_DATA_DIR: await temporaryDir(), SANDPOST_RATE_LIMIT: '1000000' };
  const sandpost = await startProcess('dev', settings);
  started.defer(async () => void (await sandpost.stop()));
  const pair = new Pair({ http: mailpit.httpPort, smtp: mailpit.smtpPort }, sandpost.ports);
  await pair.send(all);
  await pair.list();
  for (const mail of all) await askOf(pair, mail);
  await view(pair, [...mails, ...generatedMails.slice(0, 16)]);
  await askAll(pair);
  await search(pair);
  await pair.ask('DELETE', '/api/v1/search?query=from:shop.example%20-subject:mail');
  await pair.ask('DELETE', '/api/v1/search?query=to:nightly');
  await change(pair);
  await sendByApi(pair);
  return pair.differences;
}

/** Returns the first cells of a table's rows below a heading. */
function rowsBelow(heading: string): string[] {
  const [, section = ''] = readFileSync('docs/mailpit.md', 'utf8').split(`\n## ${heading}\n`);
  const [text = ''] = section.split('\n## ');
  const rows = text.split('\n').filter((line) => line.startsWith('|'));
  return rows.slice(2).map((row) => row.split(' | ')[0]?.slice(2) ?? '');
}

test('Mailpit and Sandpost answer alike on 300 mails, but for the differences that the docs name', {
  skip: withoutMailpit,
}, async () => {
  assert.ok(all.length >= 300, `${all.length} mails`);
  const used = new Set<string>();
  const unnamed = (await differences()).filter((difference) => {
    const name = Object.keys(named).find((key) => named[key]?.(difference));
    if (name !== undefined) used.add(name);
    return name === undefined;
  });
  const shown = unnamed.map(({ request, mail, field, theirs, ours }) =>
    JSON.stringify([request, mail?.name, field, theirs, ours]).slice(0, 300),
  );
  assert.deepEqual(shown.slice(0, 60), []);
  const unexpected = Object.keys(named).filter((name) => !used.has(name));
  assert.deepEqual(unexpected, [], 'named, and not met');
});

test('each path of the document of Mailpit is answered, or 501 with our way', {
  skip: withoutMailpit,
}, async (t) => {
  const mailpit = await startMailpit();
  t.after(mailpit.stop);
  const dev = await startProcess('dev', { SANDPOST_DATA_DIR: await temporaryDir() });
  t.after(() => dev.stop());
  const mail = mails.find(({ name }) => name === 'alternative');
  assert.ok(mail !== undefined);
  await deliver({ smtpPort: dev.ports.smtp }, { to: mail.to, raw: mail.raw });
  const document = await fetch(`http://127.0.0.1:${mailpit.httpPort}/api/v1/swagger.json`);
  const { paths } = (await document.json()) as { paths: Record<string, object> };
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => [method.toUpperCase(), path] as const),
  );
  assert.equal(operations.length, 26);
  for (const [method, path] of operations) {
    const target = path.replace('{ID}', 'latest').replace('{PartID}', '1').replace('{Tag}', 'none');
    const answer = await fetch(`http://127.0.0.1:${dev.ports.http}${target}`, { method });
    const text = await answer.text();
    assert.notEqual(answer.status, 405, `${method} ${path}`);
    assert.ok(answer.status < 500 || (answer.status === 501 && text !== ''), `${method} ${path}: ${text}`);
    if (!path.includes('{PartID}')) assert.notEqual(answer.status, 404, `${method} ${path}`);
    if (method === 'DELETE') await deliver({ smtpPort: dev.ports.smtp }, { to: mail.to, raw: mail.raw });
  }
});

test('the docs name each difference', () => {
  assert.deepEqual([...rowsBelow('Fields that differ'), ...rowsBelow('Search')], Object.keys(named));
});
