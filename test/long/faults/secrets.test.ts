import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { openMongoStore } from '#adapters/stores/mongo/open.ts';
import { reportError, sentenceOf } from '#telemetry/redact.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { outputOf } from '#test/support/program/program-output.ts';
import type { BoundServer } from '#test/support/stores/bound-server.ts';
import { startGuardedMongod, startGuardedRedis } from '#test/support/stores/guarded-stores.ts';
import { startOwnMongod } from '#test/support/stores/mongod.ts';
import { withoutRedis } from '#test/support/stores/redis-server.ts';

const right = 'RightS3cret';
const wrong = 'WrongS3cret';
const deadRedis = `redis://:${wrong}@127.0.0.1:9`;
const bootstrap = {
  SANDPOST_BOOTSTRAP_EMAIL: 'first@team.test',
  SANDPOST_BOOTSTRAP_PASSWORD: 'FirstS3cretPassword',
  SANDPOST_BOOTSTRAP_API_KEY: `sp_${'FirstS3cretKey'.padEnd(43, 'k')}`,
};

/** Credentials in Base64. All other secrets here contain one word, so a single search finds them and parts of them. */
const credentials = Buffer.from(`\0app\0${wrong}`).toString('base64');
const assertNoSecret = (output: string) => {
  assert.doesNotMatch(output, /S3cret/i);
  assert.ok(!output.includes(credentials));
};

const portOf = (output: string, what: string): number | undefined => {
  const line = output
    .split('\n')
    .find((text) => text.includes('"listening"') && text.includes(`"what":"${what}"`));
  return line === undefined ? undefined : JSON.parse(line).port;
};

describe('no output at any level contains a secret', { concurrency: 3, skip: withoutRedis() }, () => {
  let plain: { uri: string; server: BoundServer };
  let guarded: { uri: string; server: BoundServer };
  let redis: BoundServer;

  before(async () => {
    [plain, guarded, redis] = await Promise.all([
      startOwnMongod(),
      startGuardedMongod(right),
      startGuardedRedis(right),
    ]);
  });
  after(() => Promise.all([plain.server, guarded.server, redis].map((server) => server.remove())));

  const as = (user: string, password: string) => guarded.uri.replace('//', `//${user}:${password}@`);

  /** Addresses that the driver fails to reach, and the roles that print its error. The same code opens the store in all roles. */
  const unreached: [name: string, roles: string[], uri: () => string][] = [
    ['MongoDB that refuses the password', ['api', 'operator'], () => as('app', wrong)],
    ['MongoDB that refuses the user a command', ['api'], () => as('reader', right)],
    ['MongoDB that is not there', ['operator'], () => `mongodb://app:${wrong}@127.0.0.1:9/x?replicaSet=a`],
    ['MongoDB whose name does not exist', ['api'], () => `mongodb+srv://app:${wrong}@db.invalid/x`],
    ['MongoDB that does not speak TLS', ['api'], () => `${as('app', right)}&tls=true`],
    ['a password with a slash', ['api', 'operator'], () => `mongodb://app:a/${wrong}@db.invalid/x`],
  ];
  for (const [name, roles, uri] of unreached) {
    for (const role of roles) {
      test(`${role}: ${name}`, async () => {
        const settings = { SANDPOST_MONGODB_URI: uri(), SANDPOST_REDIS_URL: deadRedis };
        const { output, code } = await outputOf([role], { ...settings, ...bootstrap });
        assert.equal(code, 1, output);
        assert.match(output, /^sandpost: /m);
        assertNoSecret(output);
      });
    }
  }

  for (const [name, uri] of [
    ['a password with a question mark', `mongodb://app:a?${wrong}@db.invalid/x`],
    ['a password with a number sign', `mongodb://app:a#${wrong}@db.invalid/x`],
    ['a password with an at sign', `mongodb://app:${wrong}@${wrong}@db.invalid/x`],
    ['a password with a colon', `mongodb://app:a:${wrong}@db.invalid/x`],
    ['a password with a broken escape', `mongodb://app:%ZZ${wrong}@db.invalid/x`],
    ['an option with a secret that is refused', `mongodb://db.invalid/x?tls=${wrong}`],
    ['an unknown option with a secret', `mongodb://db.invalid/x?passwort=${wrong}`],
    [
      'a certificate that cannot be read',
      `mongodb://db.invalid/x?tls=true&tlsCertificateKeyFile=/nowhere&tlsCertificateKeyFilePassword=${wrong}`,
    ],
  ] as const) {
    // Without a process: `sandpost.ts` prints this error's sentence.
    test(`an address that cannot be used: ${name}`, () =>
      assert.rejects(openMongoStore({ uri }), (error) => {
        assertNoSecret(sentenceOf(error) + JSON.stringify(reportError(error)));
        return true;
      }));
  }

  for (const [name, args, env] of [
    ['a command that is none', [`redis://:${wrong}@cache`], {}],
    ['an argument too many', ['start', `mongodb://app:${wrong}@db`], {}],
    ['an option that is none', ['start', `--redis=redis://:${wrong}@cache`], {}],
    ['an address that is none', ['start', '--redis-url', `redis:${wrong}`], {}],
    [
      'another scheme',
      ['start'],
      { SANDPOST_MONGODB_URI: `postgres://app:${wrong}@db`, SANDPOST_REDIS_URL: deadRedis },
    ],
    ['a password that is too short', ['start'], { ...bootstrap, SANDPOST_BOOTSTRAP_PASSWORD: 'S3cret' }],
    ['a key that is none', ['start'], { ...bootstrap, SANDPOST_BOOTSTRAP_API_KEY: `sp_${wrong}` }],
  ] as const) {
    test(`settings: ${name}`, async () => {
      const { output, code } = await outputOf([...args], env);
      assert.equal(code, 2, output);
      assertNoSecret(output);
    });
  }

  for (const [name, url, isVisited = false] of [
    ['a wrong password', () => `redis://:${wrong}@127.0.0.1:${redis.port}`, true],
    ['a wrong password of an ACL user', () => `redis://sandpost:${wrong}@127.0.0.1:${redis.port}`],
    ['a name that does not exist', () => `redis://sandpost:${wrong}@cache.invalid`],
    ['no TLS', () => `rediss://sandpost:${right}@127.0.0.1:${redis.port}`],
    ['nobody there', () => deadRedis, true],
  ] as [string, () => string, boolean?][]) {
    test(`Redis: ${name}`, async () => {
      const settings = { SANDPOST_MONGODB_URI: plain.uri, SANDPOST_REDIS_URL: url(), ...bootstrap };
      const both = (text: string) => text.includes('redis.away') && portOf(text, 'http') !== undefined;
      const { output } = await outputOf(['api'], settings, both, async (soFar) => {
        if (isVisited) await visit(portOf(soFar, 'http') ?? 0);
      });
      assert.match(output, /redis\.away/);
      assertNoSecret(output);
    });
  }

  test('a store that goes while requests and mails with secrets come in', async () => {
    const mongo = await startGuardedMongod(right);
    const settings = {
      SANDPOST_MONGODB_URI: mongo.uri.replace('//', `//app:${right}@`),
      SANDPOST_REDIS_URL: `redis://sandpost:${right}@127.0.0.1:${redis.port}`,
      ...bootstrap,
    };
    const isUp = (what: string) => (text: string) => portOf(text, what) !== undefined;
    const api = outputOf(['api'], settings, isUp('http'), async (soFar) => {
      await visit(portOf(soFar, 'http') ?? 0);
      await mongo.server.end('SIGKILL');
      const headers = { 'X-API-KEY': bootstrap.SANDPOST_BOOTSTRAP_API_KEY };
      const options = { headers, signal: AbortSignal.timeout(8000) };
      await fetch(`http://127.0.0.1:${portOf(soFar, 'http')}/api/domains`, options).catch(() => {});
    });
    const { output } = await api;
    await mongo.server.start();
    const smtp = await outputOf(['smtp'], settings, isUp('smtp'), async (soFar) => {
      await mail(portOf(soFar, 'smtp') ?? 0);
      await mongo.server.end('SIGKILL');
      await mail(portOf(soFar, 'smtp') ?? 0);
    });
    await mongo.server.remove();
    assert.match(output, /"type":"StoreUnavailable"/);
    assertNoSecret(output);
    assertNoSecret(smtp.output);
  });

  test('a Kubernetes API that refuses the operator', async () => {
    const server = createServer((request, response) => {
      const { authorization = '' } = request.headers;
      const message = `refused: Authorization: ${authorization}`;
      response.setHeader('Set-Cookie', `session=${wrong}`);
      response.writeHead(403, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ kind: 'Status', code: 403, message }));
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const kubeconfig = path.join(await temporaryDir(), 'kubeconfig');
    const config = {
      apiVersion: 'v1',
      kind: 'Config',
      // Without it, the client sends no request over plain HTTP.
      clusters: [
        { name: 'a', cluster: { server: `http://127.0.0.1:${port}`, 'insecure-skip-tls-verify': true } },
      ],
      users: [{ name: 'a', user: { token: wrong } }],
      contexts: [{ name: 'a', context: { cluster: 'a', user: 'a' } }],
      'current-context': 'a',
    };
    await writeFile(kubeconfig, JSON.stringify(config));
    const { output } = await outputOf(
      ['operator'],
      { KUBECONFIG: kubeconfig, SANDPOST_MONGODB_URI: plain.uri, SANDPOST_REDIS_URL: deadRedis },
      (text) => text.includes('watch.refused') && text.includes('could not read or write the Lease'),
    );
    server.close();
    server.closeAllConnections();
    assertNoSecret(output);
  });

  test('an error that nobody catches', async () => {
    // The secret is written in two parts because the stack contains the script.
    const secret = `'WrongS3' + 'cret'`;
    const thrown = `Object.assign(new Error('away'), { command: { args: [${secret}] }, password: ${secret} })`;
    const script = `setTimeout(() => { throw ${thrown}; }, 300)`;
    const { output, code } = await outputOf(['start'], {
      NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(script)}`,
      SANDPOST_DATA_DIR: await temporaryDir(),
    });
    assert.equal(code, 1);
    assert.match(output, /sandpost: \{"type":"Error","message":"away"/);
    assertNoSecret(output);
  });

  /** Sends requests with a secret in every place where a client can put it. Most are refused. */
  async function visit(httpPort: number): Promise<void> {
    const visitor = new HttpClient({ baseUrl: `http://127.0.0.1:${httpPort}`, httpPort });
    const email = 'first@team.test';
    await visitor.post('/api/auth/login', { email, password: wrong });
    await visitor.post('/api/auth/login', { email, password: bootstrap.SANDPOST_BOOTSTRAP_PASSWORD });
    await visitor.post('/api/auth/login', { api_key: `sp_${wrong}` });
    await visitor.post('/api/auth/register', { email: 'second@team.test', password: `${wrong}${wrong}` });
    const headers = {
      'X-API-KEY': bootstrap.SANDPOST_BOOTSTRAP_API_KEY,
      Authorization: `Bearer ${wrong}`,
      Cookie: `sandpost_session=${wrong}`,
      'Content-Type': 'application/json',
    };
    const at = (route: string) => `http://127.0.0.1:${httpPort}${route}`;
    await fetch(at('/api/domains'), { headers });
    await fetch(at(`/api/nowhere?api_key=${wrong}`), { headers });
    for (const body of [`{"password": "${wrong}"`, JSON.stringify({ password: { of: wrong } })]) {
      await fetch(at('/api/auth/login'), { method: 'POST', headers, body });
    }
    await fetch(at('/api/accounts'), {
      method: 'POST',
      headers,
      body: JSON.stringify({ address: 'qa@nowhere.test', password: wrong }),
    });
  }

  /** Sends credentials that the server does not request, and an email whose content is a secret. */
  async function mail(smtpPort: number): Promise<void> {
    const client = await SmtpClient.open(smtpPort);
    await client.command(`AUTH PLAIN ${credentials}`);
    await client.command('MAIL FROM:<a@client.test>');
    await client.command('RCPT TO:<qa@nowhere.test>');
    await client.command(`${wrong} ${wrong}`);
    client.socket.destroy();
    await client.closed;
  }
});
