import assert from 'node:assert/strict';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, test } from 'node:test';
import { inPage, launchChromium } from '#test/once/web/support/browser.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { authPlain } from '#test/support/clients/smtp-auth.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { type Process, startProcess } from '#test/support/program/process.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { outputOf } from '#test/support/program/program-output.ts';
import { ok } from '#test/support/program/user.ts';
import { freePort } from '#test/support/runner/free-port.ts';
import { until } from '#test/support/runner/until.ts';

let folder: string;
let program: Process;
let api: HttpClient;
before(async () => {
  folder = await temporaryDir();
  await start();
});
after(() => program.stop());

async function start(settings: Record<string, string> = {}): Promise<void> {
  program = await startProcess('dev', { SANDPOST_DATA_DIR: folder, ...settings });
  api = new HttpClient({ baseUrl: `http://127.0.0.1:${program.ports.http}`, httpPort: program.ports.http });
}

const send = async (to: string[], subject: string, client?: SmtpClient) => {
  const sender = client ?? (await SmtpClient.open(program.ports.smtp));
  const reply = await sender.send('shop@example.com', to, `Subject: ${subject}\r\n\r\nHello.\r\n`);
  sender.destroy();
  assert.match(reply, /^250 2\.6\.0/);
};
const bySubject = async (subject: string) =>
  (await ok(api.get(`/api/messages?subject=${encodeURIComponent(subject)}`))).items[0];

/** Sends a request with forged header fields, and returns its status. */
function statusOf(
  headers: Record<string, string>,
  method = 'GET',
  path = '/api/messages',
  port = program.ports.http,
): Promise<number> {
  return new Promise((resolve, reject) => {
    const outgoing = request({ port, host: '127.0.0.1', method, path, headers }, (answer) => {
      answer.resume();
      resolve(answer.statusCode ?? 0);
    });
    outgoing.once('error', reject);
    outgoing.end();
  });
}

test('mail to anybody is caught, and read without a key', async () => {
  await send(['alice@gmail.com', 'bob@example.org', 'nobody@sandpost.test'], 'to anybody');
  const { id, account_id } = await bySubject('to anybody');
  const message = await ok(api.get(`/api/messages/${id}`));
  assert.deepEqual(message.envelope.rcpt_to, ['alice@gmail.com', 'bob@example.org', 'nobody@sandpost.test']);
  assert.equal(message.envelope.authenticated_as, null);
  const account = await ok(api.get(`/api/accounts/${account_id}`));
  assert.deepEqual([account.address, account.is_capture], ['inbox@sandpost.test', true]);
  assert.equal(account.simulates_failures, true);
});

test('any user name and password will do', async () => {
  const client = await SmtpClient.open(program.ports.smtp);
  assert.match(await client.command(authPlain('whoever', 'whatever')), /^235/);
  await send(['alice@gmail.com'], 'signed in', client);
  const { id } = await bySubject('signed in');
  const { envelope } = await ok(api.get(`/api/messages/${id}`));
  assert.deepEqual(envelope.authenticated_as, { kind: 'account', name: 'inbox@sandpost.test' });
});

test('own accounts get their own mail', async () => {
  const made = await ok(api.post('/api/accounts', { address: 'qa@sandpost.test' }));
  await send(['qa@sandpost.test'], 'of its own');
  assert.equal((await bySubject('of its own')).account_id, made.id);
});

test('a report goes to any sender, whoever the mail was to', async () => {
  for (const from of ['shop@example.com', 'nobody@sandpost.test']) {
    const client = await SmtpClient.open(program.ports.smtp);
    const reply = await client.send(
      from,
      ['erin+fail-dsn-5.1.1@gmail.com'],
      'Subject: lost\r\n\r\nHello.\r\n',
    );
    client.destroy();
    assert.match(reply, /^250 2\.6\.0/);
    const { items } = await ok(api.get(`/api/messages?to=${from}`));
    const { report, envelope } = await ok(api.get(`/api/messages/${items[0].id}`));
    assert.deepEqual([report.kind, envelope.mail_from, envelope.rcpt_to], ['failed', '', [from]]);
  }
});

test('forged names and foreign pages have no part in it, and nobody can register', async () => {
  const port = program.ports.http;
  const own = {
    Host: `localhost:${port}`,
    Origin: `http://localhost:${port}`,
    'Sec-Fetch-Site': 'same-origin',
  };
  assert.equal(await statusOf(own), 200);
  const forged: Record<string, string>[] = [
    { Host: 'evil.test' },
    { Host: `evil.test:${port}`, Origin: `http://evil.test:${port}`, 'Sec-Fetch-Site': 'same-origin' },
    { ...own, Origin: 'http://localhost:3000' },
    { ...own, Origin: 'null' },
    { ...own, 'Sec-Fetch-Site': 'same-site' },
    { ...own, 'Sec-Fetch-Site': 'cross-site' },
    { ...own, 'X-API-KEY': `sp_${'x'.repeat(43)}` },
  ];
  for (const headers of forged) {
    assert.equal(await statusOf(headers), 401, JSON.stringify(headers));
    assert.equal(await statusOf(headers, 'POST', '/api/tokens'), 401, JSON.stringify(headers));
  }
  assert.equal(await statusOf({ ...own, Cookie: 'sandpost_session=of-an-older-time' }), 200);
  const body = { email: 'ann@example.com', password: 'correct horse' };
  assert.equal((await api.post('/api/auth/register', body)).status, 404);
});

test('nothing answers to a foreign Host, pages, public routes and probes included', async () => {
  const [http, ops] = [program.ports.http, program.ports.ops];
  const places: [path: string, port: number][] = [
    ...['/', '/api/docs', '/api/openapi.json', '/api/auth/methods', '/api/health', '/nothing'].map(
      (path): [string, number] => [path, http],
    ),
    ...['/metrics', '/readyz', '/livez'].map((path): [string, number] => [path, ops]),
  ];
  for (const [path, port] of places) {
    for (const host of ['evil.test', `evil.test:${port}`, '127.0.0.1.evil.test', '10.0.0.1'])
      assert.equal(await statusOf({ Host: host }, 'GET', path, port), 401, `${host} ${path}`);
    for (const host of [`localhost:${port}`, '127.0.0.1', `[::1]:${port}`])
      assert.equal(await statusOf({ Host: host }, 'GET', path, port), path === '/nothing' ? 404 : 200, path);
  }
});

test('the page opens signed in, and shows a mail as it comes', inPage, async () => {
  const browser = await launchChromium();
  try {
    const page = await browser.newPage();
    await page.goto(`http://localhost:${program.ports.http}/`);
    await page.locator('.connection.open').waitFor();
    await send(['carol@gmail.com'], 'in the page');
    await page.getByRole('option').filter({ hasText: 'in the page' }).waitFor();
    await page.goto(`http://localhost:${program.ports.http}/manage/you`);
    await page.getByText('as is anyone who opens this page on this machine').waitFor();
    // This page's user has only one team.
    await page.getByRole('link', { name: 'Team', exact: true }).waitFor({ state: 'detached' });
    for (const name of ['Sign out', 'Change password']) {
      assert.equal(await page.getByRole('button', { name }).count(), 0, name);
    }
    await page.goto(`http://localhost:${program.ports.http}/manage/connect`);
    await page.getByText('Provider API').click();
    await page.getByText('Postmark', { exact: true }).click();
    await page.getByText(`requestHost: 'localhost:${program.ports.http}/providers/postmark'`).waitFor();
  } finally {
    await browser.close();
  }
});

test(
  'a page of another origin, or of a name that points here, reads and changes nothing',
  inPage,
  async () => {
    const foreign = createServer((_, answer) => {
      answer.setHeader('Content-Type', 'text/html');
      answer.end('<!doctype html><title>foreign</title>');
    });
    await new Promise<void>((resolve) => foreign.listen(0, '127.0.0.1', resolve));
    const { port } = foreign.address() as AddressInfo;
    const browser = await launchChromium('--host-resolver-rules=MAP evil.test 127.0.0.1');
    const tokens = async () => (await ok(api.get('/api/tokens'))).pagination.total;
    const before = await tokens();
    try {
      const page = await browser.newPage();
      for (const from of [`http://localhost:${port}/`, `http://evil.test:${port}/`]) {
        await page.goto(from);
        const seen = await page.evaluate(async (target) => {
          await fetch(`${target}/api/tokens`, { method: 'POST', mode: 'no-cors' }).catch(() => null);
          return fetch(`${target}/api/messages`).then(
            (answer) => answer.status,
            () => 'refused',
          );
        }, `http://localhost:${program.ports.http}`);
        assert.equal(seen, 'refused', from);
      }
      await page.goto(`http://evil.test:${program.ports.http}/`);
      const status = await page.evaluate(async () => {
        await fetch('/api/tokens', { method: 'POST' });
        return (await fetch('/api/messages')).status;
      });
      assert.equal(status, 401);
      assert.equal(await tokens(), before);
    } finally {
      await browser.close();
      foreign.close();
    }
  },
);

test('what was caught is there after a restart, and links follow the port', async () => {
  await program.stop();
  const port = await freePort();
  await start({ SANDPOST_HTTP_PORT: String(port) });
  const { id } = await bySubject('to anybody');
  const { sourceUrl } = await ok(api.get(`/api/messages/${id}`));
  assert.ok(sourceUrl.startsWith(`http://localhost:${port}/`), sourceUrl);
  assert.equal((await ok(api.get('/api/domains'))).pagination.total, 1);
});

test('it is for this machine alone, and says so', async () => {
  const cases: [Record<string, string>, RegExp][] = [
    [{ SANDPOST_HTTP_HOST: '0.0.0.0' }, /SANDPOST_HTTP_HOST: .* only on loopback, not on 0\.0\.0\.0/],
    [{ SANDPOST_SMTP_HOST: '::' }, /SANDPOST_SMTP_HOST: .* only on loopback/],
    [
      { SANDPOST_BOOTSTRAP_CAPTURE: 'a@app.test' },
      /use SANDPOST_BOOTSTRAP_CAPTURE\. This command has its own account/,
    ],
    [
      { SANDPOST_MONGODB_URI: 'mongodb://127.0.0.1/x', SANDPOST_REDIS_URL: 'redis://127.0.0.1' },
      /This command always uses its own store/,
    ],
  ];
  for (const [settings, line] of cases) {
    const { code, output } = await outputOf(['dev'], { SANDPOST_DATA_DIR: folder, ...settings });
    assert.equal(code, 2);
    assert.match(output, line);
  }
});

test('a request to a provider is caught with any key, or none, and not from a page of another origin', async () => {
  const url = `http://127.0.0.1:${program.ports.http}/providers/sendgrid/v3/mail/send`;
  const sendBy = (subject: string, headers: Record<string, string>) =>
    fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({
        personalizations: [{ to: [{ email: 'alice@gmail.com' }] }],
        from: { email: 'shop@example.com' },
        subject,
        content: [{ type: 'text/plain', value: 'hello' }],
      }),
    });
  assert.equal((await sendBy('any key', { authorization: 'Bearer SG.any' })).status, 202);
  assert.equal((await sendBy('no key', {})).status, 202);
  for (const subject of ['any key', 'no key']) {
    const { id } = await bySubject(subject);
    const { envelope, submission } = await ok(api.get(`/api/messages/${id}`));
    assert.deepEqual([envelope.rcpt_to, envelope.authenticated_as], [['alice@gmail.com'], null]);
    assert.equal(submission.provider, 'sendgrid');
  }
  const brevo = await fetch(`http://127.0.0.1:${program.ports.http}/providers/brevo/v3/smtp/email`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'api-key': 'xkeysib-of-the-provider' },
    body: JSON.stringify({
      sender: { email: 'shop@example.com' },
      to: [{ email: 'alice@gmail.com' }],
      subject: 'a real key',
      textContent: 'x',
    }),
  });
  assert.equal(brevo.status, 201);
  const { id } = await bySubject('a real key');
  const shown = JSON.stringify(await ok(api.get(`/api/messages/${id}`)));
  assert.ok(!shown.includes('xkeysib'), 'a key of the provider itself is not kept');
  const foreign = await sendBy('foreign', { origin: 'http://evil.test', authorization: 'Bearer SG.any' });
  assert.equal(foreign.status, 401);
  assert.equal(await bySubject('foreign'), undefined);
});

test('Ctrl-C on npm start stops it in order, though npm passes the signal on a second time', async () => {
  const other = await startProcess('dev', { SANDPOST_DATA_DIR: await temporaryDir() });
  process.kill(other.pid, 'SIGINT');
  process.kill(other.pid, 'SIGINT');
  await until(() => other.log.some(({ event }) => event === 'stopped'));
  await other.stop();
});
