import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { openFrames } from '#test/support/clients/frames.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const run = promisify(execFile);
const missing = (tool: string) =>
  spawnSync(tool, ['--version']).error ? `${tool} is not installed; test/setup.sh does it` : false;

const mail = await startMailProgram();

/** Sends by swaks and returns the ID in its last 250. */
async function swaks(...args: string[]): Promise<number> {
  const server = ['--server', '127.0.0.1', '--port', `${mail.program.smtpPort}`, '--helo', 'swaks.test'];
  const { stdout } = await run('swaks', [
    ...server,
    '--from',
    'ann@sender.test',
    '--to',
    mail.user.address,
    ...args,
  ]);
  const reply = /250 2\.6\.0 stored as \d+/.exec(stdout)?.[0] ?? stdout;
  return mail.idsOf(reply)[0] ?? 0;
}

test('swaks sends every kind of mail, and the stream has each', { skip: missing('swaks') }, async () => {
  const frames = await openFrames(mail.user);
  const text = 'Grüße, 🎉 from swaks';
  const kinds: [args: string[], see: (message: Record<string, unknown>) => void][] = [
    [['--header', 'Subject: plain', '--body', 'hello'], (message) => assert.equal(message.subject, 'plain')],
    [
      ['--header', 'Content-Type: text/html', '--body', '<p>hello</p>'],
      (message) => assert.match(`${message.html}`, /<p>hello<\/p>/),
    ],
    [
      [
        '--body',
        'see file',
        '--attach-type',
        'text/csv',
        '--attach-name',
        'a.csv',
        '--attach',
        '@package.json',
      ],
      (message) => assert.equal(message.has_attachments, true),
    ],
    [
      ['--header', 'Content-Type: text/plain; charset=utf-8', '--header', `Subject: ${text}`, '--body', text],
      (message) => assert.deepEqual([message.subject, `${message.text}`.trim()], [text, text]),
    ],
    [['--pipeline', '--body', 'pipelined'], (message) => assert.match(`${message.text}`, /pipelined/)],
    [['--protocol', 'SMTP', '--body', 'by HELO'], (message) => assert.match(`${message.text}`, /by HELO/)],
  ];
  for (const [args, see] of kinds) {
    const id = await swaks(...args);
    assert.equal((await frames.next()).data.id, id);
    see(await ok(mail.user.api.get(`/api/messages/${id}`)));
  }
  frames.close();
});

test('swaks sees a refusal', { skip: missing('swaks') }, async () => {
  await assert.rejects(swaks('--to', 'nobody@elsewhere.test'), { stdout: /550 5\.7\.1/ });
});

test('curl reads every endpoint', { skip: missing('curl') }, async () => {
  const { api, domain, account, inbox, key } = mail.user;
  const client = await mail.connect();
  const parts =
    'Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n\r\ntext\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>text</p>\r\n--b\r\nContent-Disposition: attachment; filename=a.txt\r\n\r\nfile\r\n--b--\r\n';
  const [id = 0] = mail.idsOf(await client.send('s@s.test', [mail.user.address], `Subject: all\r\n${parts}`));
  await client.send('s@s.test', [`nobody@${domain.domain}`], 'Subject: none\r\n\r\n');
  await client.quit();
  const refusals = async () => (await ok(api.get('/api/refusals?limit=1'))).items;
  await until(async () => (await refusals()).length > 0, 10_000, 100);
  const { paths } = await ok(api.get('/api/openapi.json'));
  const ids: Record<string, number> = {
    domain_id: domain.id,
    account_id: account.id,
    mailbox_id: inbox,
    message_id: id,
    attachment_id: 1,
    search_id: (await ok(api.post('/api/searches', { name: 'All', q: 'all' }))).id,
    rule_id: (await ok(api.post('/api/rules', { name: 'All', q: 'all', is_read: true }))).id,
    refusal_id: (await refusals())[0].id,
    failure_id: (await ok(api.post('/api/failures', {}))).id,
    team_id: (await ok(api.get('/api/teams'))).items[0].id,
  };
  // Nobody signs in by OpenID Connect if no provider is set.
  const reads = Object.keys(paths).filter((path) => paths[path].get && !path.startsWith('/api/auth/oidc'));
  assert.ok(reads.length >= 15, reads.join(' '));
  const queries: Record<string, string> = { '/api/events': '?once=1', '/api/search/explain': '?q=all' };
  for (const path of reads) {
    const filled = path.replaceAll(
      /\{(\w+)\}/g,
      (_, name) => `${ids[name] ?? assert.fail(`${path}: ${name}`)}`,
    );
    const url = `${mail.program.baseUrl}${filled}${queries[path] ?? ''}`;
    const { stdout } = await run('curl', [
      '-sS',
      '-m',
      '20',
      '-o',
      '/dev/null',
      '-w',
      '%{http_code}',
      '-H',
      `X-API-KEY: ${key}`,
      url,
    ]);
    assert.equal(stdout, '200', path);
  }
});
