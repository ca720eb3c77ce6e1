import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { symlink } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { mailpitClient } from '#test/support/clients/mailpit.ts';
import { startProcess } from '#test/support/program/process.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { transmit } from '#test/support/program/program-mail.ts';
import { forAllTests } from '#test/support/program/scene.ts';

// In the image, a file /mailpit is also a link to the program.
const link = path.join(await temporaryDir(), 'mailpit');
await symlink(path.resolve('bin/sandpost'), link);

const settings = {
  MP_SMTP_BIND_ADDR: '127.0.0.1:0',
  MP_UI_BIND_ADDR: '127.0.0.1:0',
  MP_DATABASE: path.join(await temporaryDir(), 'mailpit.db'),
  MP_WEBROOT: '/mailpit',
  MP_MAX_MESSAGES: '5000',
  MP_SMTP_AUTH_ACCEPT_ANY: '1',
  MP_SMTP_AUTH_ALLOW_INSECURE: '1',
  MP_ALLOWED_HOSTS: 'mail.example.com',
};
const program = await forAllTests(startProcess('mailpit', settings));
const { http, smtp, ops } = program.ports;
const place = { baseUrl: `http://127.0.0.1:${http}`, httpPort: http };

test('in place of Mailpit, whoever reaches it sends and reads mail without a key, by private names and allowed ones', async () => {
  await transmit({ smtpPort: smtp }, { to: 'alice@gmail.com', subject: 'Welcome' });
  for (const host of [
    'mailpit:8025',
    'localhost',
    '10.0.0.7:8025',
    'mail.default.svc.cluster.local',
    'mail.example.com',
  ]) {
    const ask = mailpitClient(place, { host });
    for (const root of ['', '/mailpit'])
      assert.equal((await ask('GET', `${root}/api/v1/messages`)).json.messages[0].Subject, 'Welcome', host);
    assert.equal((await ask('GET', '/livez')).status, 200);
  }
});

test('a page behind a proxy that ends TLS is of the same origin', async () => {
  const origin = 'https://mail.example.com';
  const ask = mailpitClient(place, { host: 'mail.example.com', origin, 'sec-fetch-site': 'same-origin' });
  assert.equal((await ask('GET', '/api/v1/messages')).status, 200);
});

test('a page of another site reads nothing, be it by its own name that was made to resolve here', async () => {
  for (const headers of [
    { host: 'evil.example.com' },
    { host: 'mailpit.' },
    { host: 'mail.example.com.evil.com' },
    { host: 'mailpit', origin: 'https://evil.example.com' },
    { host: 'mailpit', 'sec-fetch-site': 'cross-site' },
    { host: 'localhost', 'sec-fetch-site': 'same-site', origin: 'http://localhost:3000' },
  ] as Record<string, string>[]) {
    const ask = mailpitClient(place, headers);
    for (const [method, path] of [
      ['GET', '/api/v1/messages'],
      ['DELETE', '/api/v1/messages'],
      ['GET', '/view/latest.html'],
      ['GET', '/email'],
    ] as const)
      assert.ok([401, 403].includes((await ask(method, path)).status), `${JSON.stringify(headers)} ${path}`);
  }
  const metrics = new HttpClient({ baseUrl: `http://127.0.0.1:${ops}`, httpPort: ops });
  const answer = await metrics.open('GET', '/metrics', { headers: { host: 'evil.example.com' } });
  assert.equal(answer.statusCode, 401);
  assert.equal((await mailpitClient(place)('GET', '/api/v1/messages')).json.total, 1);
});

test('the start names the settings that have no effect, and no others', () => {
  const line = program.log.find(({ event }) => event === 'settings.ignored');
  assert.deepEqual(line?.settings, ['MP_MAX_MESSAGES']);
});

test('mailpit readyz says by its exit code whether the program takes mail', async () => {
  const run = (args: string[], env: Record<string, string>) =>
    new Promise<number>((resolve) => {
      const { PATH, HOME } = process.env;
      execFile(link, args, { env: { PATH, HOME, ...env } }, (error) => resolve(Number(error?.code ?? 0)));
    });
  const env = { ...settings, MP_UI_BIND_ADDR: `127.0.0.1:${http}` };
  assert.equal(await run(['readyz'], env), 0);
  assert.equal(await run(['readyz'], { ...env, MP_UI_BIND_ADDR: '127.0.0.1:9' }), 1);
  assert.equal(await run(['dump'], env), 2);
});
