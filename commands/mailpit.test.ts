import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isPrivateHost } from '#setup/loopback.ts';
import { readMailpit } from './mailpit.ts';

const read = (args: string[], env: NodeJS.ProcessEnv = {}) => readMailpit(args, env);

test('without settings it listens where Mailpit does, on all addresses', () => {
  const { config, ignored } = read([]);
  assert.deepEqual(
    [config.smtpHost, config.smtpPort, config.httpHost, config.httpPort, ignored],
    ['0.0.0.0', 1025, '0.0.0.0', 8025, []],
  );
});

test('variables and options of Mailpit have the effect that they have there', () => {
  const variables = {
    MP_SMTP_BIND_ADDR: '[::]:2025',
    MP_UI_BIND_ADDR: '127.0.0.1:9025',
    MP_DATABASE: '/data/mailpit.db',
    MP_WEBROOT: '/mail-ui/',
    MP_ALLOWED_HOSTS: 'Mail.example.com, other.example.com:8025',
    MP_ENABLE_SPAMASSASSIN: 'spamd:783',
    MP_QUIET: 'true',
    MP_SMTP_AUTH_ACCEPT_ANY: '1',
    MP_SMTP_AUTH_ALLOW_INSECURE: '1',
  };
  const { config, allowedHosts, ignored } = read([], variables);
  assert.deepEqual(
    [config.smtpHost, config.smtpPort, config.httpHost, config.httpPort],
    ['0.0.0.0', 2025, '127.0.0.1', 9025],
  );
  assert.deepEqual(
    [config.dataDir, config.baseUrl, config.spamUrl, config.logLevel],
    ['/data', 'http://localhost:9025/mail-ui', 'spamd://spamd:783', 'error'],
  );
  assert.deepEqual([allowedHosts, ignored], [['mail.example.com', 'other.example.com'], []]);
  const options = ['-s', ':3025', '--listen=[::1]:3080', '-d', '/tmp/x/y.db', '-v', '--smtp-auth-accept-any'];
  const { config: other, ignored: none } = read(options, variables);
  assert.deepEqual(
    [other.smtpPort, other.httpHost, other.httpPort, other.dataDir, none],
    [3025, '::1', 3080, '/tmp/x', []],
  );
});

test('our own variables count, too, and settings without an effect are named', () => {
  const env = { SANDPOST_HTTP_PORT: '9000', MP_MAX_MESSAGES: '5000', MP_POP3_AUTH_FILE: '/x', MP_TAG: '' };
  const { config, ignored } = read(['--smtp-relay-all', '--label', 'QA', '--__proto__', 'x'], env);
  assert.equal(config.httpPort, 9000);
  assert.deepEqual(ignored, [
    'MP_MAX_MESSAGES',
    'MP_POP3_AUTH_FILE',
    'MP_SMTP_RELAY_ALL',
    'MP_LABEL',
    'MP___PROTO__',
  ]);
});

test('a setting that keeps others from the mail is refused, and so is a wrong one', () => {
  for (const [args, env, message] of [
    [[], { MP_UI_AUTH: 'a:b' }, /does not support MP_UI_AUTH/],
    [['--ui-auth-file', '/x'], {}, /does not support MP_UI_AUTH_FILE/],
    [['--ui-tls-cert=/x'], {}, /does not support MP_UI_TLS_CERT/],
    [[], { MP_SMTP_BIND_ADDR: '1025' }, /must be host:port/],
    [[], { MP_DATABASE: 'http://rqlite:4001' }, /no remote database/],
    [[], { MP_WEBROOT: '/api' }, /SANDPOST_BASE_URL|--base-url/],
  ] as const)
    assert.throws(() => read([...args], env), message);
});

test('a host is private where no stranger can register it', () => {
  for (const host of [
    'mailpit',
    'app_mailpit_1',
    'localhost',
    '10.0.0.7',
    '203.0.113.7',
    '[::1]',
    '[fd00::1]',
    'MAILPIT',
    'x.localhost',
    'mailpit.qa.svc',
    'mail.default.svc.cluster.local',
    'host.docker.internal',
    'a.test',
    'b.home.arpa',
  ])
    assert.ok(isPrivateHost(host), host);
  for (const host of [
    'example.com',
    'mailpit.',
    'local.example.com',
    'evil.com.',
    'nip.io',
    '10.0.0.7.nip.io',
    'internal.com',
    'xlocal.com',
    'mail.dev',
    '[evil].com',
  ])
    assert.ok(!isPrivateHost(host), host);
});
