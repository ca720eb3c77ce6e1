import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import { type Config, readConfig } from './config.ts';

const key = `sp_${'k'.repeat(43)}`;
const variables = (values: Record<string, string>) =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [`SANDPOST_${name}`, value]));
const read = (values: Record<string, string>) => readConfig(variables(values));

test('settings that are not given have their defaults', () => {
  const defaults: Partial<Config> = {
    baseUrl: 'http://localhost:8080',
    basePath: '',
    httpHost: '127.0.0.1',
    httpPort: 8080,
    smtpHost: '127.0.0.1',
    smtpPort: 2525,
    smtpConnections: { connections: 1000, connectionsPerAddress: 50 },
    smtpTls: null,
    smtpsPort: null,
    opsPort: 9090,
    dataDir: './data',
    cluster: null,
    mxHosts: ['localhost'],
    dnsServers: [],
    mxInterval: null,
    spamUrl: null,
    otlpUrl: null,
    outbound: null,
    retentionDays: 90,
    maxMessageBytes: 26_214_400,
    quotas: {
      domains: limits.owned.domains,
      accounts: limits.owned.accounts,
      storageBytes: limits.owned.storageBytes,
    },
    requireVerified: false,
    capture: null,
    domainSuffixes: [],
    registration: 'open',
    passwordSignIn: true,
    oidc: null,
    allowedOrigins: ['http://localhost:8080'],
    smtpProxyFrom: null,
    trustedProxies: null,
    rateLimit: 4096,
    maxWaits: 100,
    logLevel: 'info',
    watchNamespaces: [],
    namespaceSelector: null,
    previews: null,
    podName: `${hostname()}-${process.pid}`,
    leaseName: 'sandpost-operator',
    clusterId: null,
    ...{ operator: false, attributeSenders: false },
    orphanGracePeriod: 86_400_000,
    clientAddresses: {
      SANDPOST_URL: 'http://localhost:8080',
      SANDPOST_SMTP_HOST: 'localhost',
      SANDPOST_SMTP_PORT: '25',
    },
    bootstrap: null,
  };
  assert.deepEqual({ ...readConfig({}), ...defaults }, readConfig({}));
  assert.deepEqual(read({ HTTP_PORT: '', BOOTSTRAP_EMAIL: '', MX_HOSTS: '' }), readConfig({}));
  assert.ok(Object.isFrozen(readConfig({})));
});

/** Variable, value, and the part of the configuration that it sets: the minimum and maximum, and each format. */
const values: [name: string, value: string, part: keyof Config, wanted: unknown][] = [
  ['BASE_URL', 'https://mail.app.test//', 'baseUrl', 'https://mail.app.test'],
  ['BASE_URL', 'https://Mail.app.test', 'mxHosts', ['mail.app.test']],
  ['HTTP_PORT', '0', 'httpPort', 0],
  ['OPS_PORT', '65535', 'opsPort', 65_535],
  [
    'MX_HOSTS',
    ' MX1.app.test., a-b_c.test ,, localhost',
    'mxHosts',
    ['mx1.app.test', 'a-b_c.test', 'localhost'],
  ],
  [
    'DNS_SERVERS',
    '192.0.2.1, 192.0.2.2:5353, [2001:db8::1], [2001:DB8::2]:53',
    'dnsServers',
    ['192.0.2.1:53', '192.0.2.2:5353', '[2001:db8::1]:53', '[2001:DB8::2]:53'],
  ],
  ['MX_INTERVAL', '1', 'mxInterval', 1],
  ['MX_INTERVAL', '86400', 'mxInterval', 86_400],
  ['SPAM_URL', 'spamd://spam-1.app.test:783', 'spamUrl', 'spamd://spam-1.app.test:783'],
  ['SPAM_URL', 'http://[2001:db8::1]:11333/', 'spamUrl', 'http://[2001:db8::1]:11333/'],
  ['RETENTION_DAYS', '1', 'retentionDays', 1],
  ['MAX_MESSAGE_BYTES', '1024', 'maxMessageBytes', 1024],
  ['MAX_MESSAGE_BYTES', '134217728', 'maxMessageBytes', 134_217_728],
  ['REQUIRE_VERIFIED', 'true', 'requireVerified', true],
  ['DOMAIN_SUFFIXES', 'App.test.', 'domainSuffixes', [{ team: null, suffix: 'app.test' }]],
  ['REGISTRATION', 'closed', 'registration', 'closed'],
  [
    'ALLOWED_ORIGINS',
    'https://A.test, http://b.test:8081',
    'allowedOrigins',
    ['http://localhost:8080', 'https://a.test', 'http://b.test:8081'],
  ],
  ['RATE_LIMIT', '1', 'rateLimit', 1],
  ['MAX_WAITS', '2000', 'maxWaits', 2000],
  ['LOG_LEVEL', 'silent', 'logLevel', 'silent'],
  ['WATCH_NAMESPACES', 'a, team-1', 'watchNamespaces', ['a', 'team-1']],
  ['WATCH_NAMESPACES', 'x'.repeat(63), 'watchNamespaces', ['x'.repeat(63)]],
  ['POD_NAME', 'x'.repeat(253), 'podName', 'x'.repeat(253)],
  ['LEASE_NAME', 'a', 'leaseName', 'a'],
  ['LEASE_NAME', 'team-1.a', 'leaseName', 'team-1.a'],
  ['CLUSTER_ID', `A.b_c-${'x'.repeat(57)}`, 'clusterId', `A.b_c-${'x'.repeat(57)}`],
  ['ORPHAN_GRACE_PERIOD', '90s', 'orphanGracePeriod', 90_000],
  ['ORPHAN_GRACE_PERIOD', '30m', 'orphanGracePeriod', 1_800_000],
  ['ORPHAN_GRACE_PERIOD', '2h', 'orphanGracePeriod', 7_200_000],
  ['ORPHAN_GRACE_PERIOD', '365d', 'orphanGracePeriod', 31_536_000_000],
  [
    'CLIENT_SMTP',
    'smtp.app.test:2525',
    'clientAddresses',
    {
      SANDPOST_URL: 'http://localhost:8080',
      SANDPOST_SMTP_HOST: 'smtp.app.test',
      SANDPOST_SMTP_PORT: '2525',
    },
  ],
  [
    'CLIENT_SMTPS_PORT',
    '465',
    'clientAddresses',
    {
      ...{ SANDPOST_URL: 'http://localhost:8080', SANDPOST_SMTP_HOST: 'localhost' },
      ...{ SANDPOST_SMTP_PORT: '25', SANDPOST_SMTPS_PORT: '465' },
    },
  ],
  [
    'CLIENT_URL',
    'http://api.app.test//',
    'clientAddresses',
    { SANDPOST_URL: 'http://api.app.test', SANDPOST_SMTP_HOST: 'localhost', SANDPOST_SMTP_PORT: '25' },
  ],
];
for (const [name, value, part, wanted] of values) {
  test(`SANDPOST_${name} may be ${value.slice(0, 30)}`, () =>
    assert.deepEqual(read({ [name]: value })[part], wanted));
}

test('quotas are read one by one', () => {
  const { quotas } = read({ MAX_DOMAINS: '1', MAX_ACCOUNTS: '2', MAX_STORAGE_LIMIT: '0' });
  assert.deepEqual(quotas, { domains: 1, accounts: 2, storageBytes: 0 });
});

const refused: [name: string, value: string, words: RegExp][] = [
  ['BASE_URL', 'ftp://app.test', /must be an address such as/],
  ['MONGODB_URI', 'x mongodb://db/mail', /not a valid value/],
  ['MONGODB_URI', 'mongodb://db/mail and more', /not a valid value/],
  ['REDIS_URL', 'http://cache.test', /not a valid value/],
  ['MX_INTERVAL', '0', /must be a whole number from 1 to 86400/],
  ['MX_INTERVAL', '86401', /must be a whole number from 1 to 86400/],
  ['MX_INTERVAL', '1.5', /must be a whole number/],
  ['MAX_MESSAGE_BYTES', '1023', /must be a whole number from 1024/],
  ['MAX_STORAGE_LIMIT', '-1', /must be a whole number of at least 0/],
  ['MAX_STORAGE_LIMIT', '1.5', /must be a whole number of at least 0/],
  ['MAX_ACCOUNTS', '0', /must be a whole number of at least 1/],
  ['MAX_DOMAINS', '1.5', /must be a whole number of at least 1/],
  ['RATE_LIMIT', '0', /must be a whole number of at least 1/],
  ['MAX_WAITS', '0', /must be a whole number from 1 to 2000/],
  ['MAX_WAITS', '2001', /must be a whole number from 1 to 2000/],
  ['RETENTION_DAYS', '0', /must be a whole number from 1 to 90/],
  ['LOG_LEVEL', 'loud', /must be one of trace, debug, info, warn, error, silent/],
  ['MX_HOSTS', 'a..test', /"a\.\.test" is not a host name/],
  ['MX_HOSTS', '.test', /is not a host name/],
  ['SPAM_URL', 'https://a.test:11333', /must be spamd:\/\/host:783 or http:\/\/host:11333/],
  ['SPAM_URL', 'http://u:p@a.test', /must be spamd/],
  ['DNS_SERVERS', 'dns.test', /"dns\.test" is not address:port/],
  ['DNS_SERVERS', '192.0.2.1:123456', /is not address:port/],
  ['DNS_SERVERS', 'x192.0.2.1', /is not address:port/],
  ['DNS_SERVERS', '192.0.2.1:65536', /is not address:port/],
  ['DNS_SERVERS', '192.0.2.1:0', /is not address:port/],
  ['ALLOWED_ORIGINS', 'https://a.test/', /"https:\/\/a\.test\/" is not an origin/],
  ['ALLOWED_ORIGINS', 'a.test', /"a\.test" is not an origin/],
  ['TRUSTED_PROXIES', '10.0.0.0/x', /"10\.0\.0\.0\/x" is not a network/],
  ['TRUSTED_PROXIES', '10.0.0.0/', /"10\.0\.0\.0\/" is not a network/],
  ['TRUSTED_PROXIES', '10.0.0.0/33', /"10\.0\.0\.0\/33" is not a network/],
  ['TRUSTED_PROXIES', 'app.test/8', /"app\.test\/8" is not a network/],
  ['DOMAIN_SUFFIXES', 'shop=*.test', /"shop=\*\.test" is not a suffix such as app\.test or team=app\.test/],
  ['WATCH_NAMESPACES', 'Team', /"Team" is not a namespace/],
  ['WATCH_NAMESPACES', '-a', /is not a namespace/],
  ['WATCH_NAMESPACES', 'a-', /is not a namespace/],
  ['WATCH_NAMESPACES', 'x'.repeat(64), /is not a namespace/],
  ['PREVIEW_SELECTOR', 'a=b', /PREVIEW_SELECTOR and SANDPOST_PREVIEW_DOMAIN must be set together/],
  ['PREVIEW_DOMAIN', 'Pr_.test', /must be a domain in lower case/],
  ['LEASE_NAME', '-a', /must be a name of lower-case letters/],
  ['LEASE_NAME', 'a-', /must be a name of lower-case letters/],
  ['LEASE_NAME', 'x'.repeat(254), /characters/],
  ['CLUSTER_ID', 'x'.repeat(64), /up to 63 letters/],
  ['CLUSTER_ID', 'a b', /up to 63 letters/],
  ['ORPHAN_GRACE_PERIOD', '366d', /"366d" is not a duration/],
  ['ORPHAN_GRACE_PERIOD', '0s', /"0s" is not a duration/],
  ['ORPHAN_GRACE_PERIOD', '7', /"7" is not a duration/],
  ['ORPHAN_GRACE_PERIOD', 'x7d', /"x7d" is not a duration/],
  ['ORPHAN_GRACE_PERIOD', '7dx', /"7dx" is not a duration/],
  ['CLIENT_URL', 'ftp://app.test', /must be an address such as/],
  ['CLIENT_SMTP', 'x/mail.test:25', /must be host:port/],
  ['CLIENT_SMTP', 'mail.test:25x', /must be host:port/],
  ['BOOTSTRAP_PASSWORD', 'x'.repeat(257), /not a valid value/],
  ['BOOTSTRAP_API_KEY', `x${key}`, /not a valid value/],
  ['BOOTSTRAP_API_KEY', `${key}x`, /not a valid value/],
];
for (const [name, value, words] of refused) {
  test(`SANDPOST_${name} may not be ${value.slice(0, 30)}`, () =>
    assert.throws(() => read({ [name]: value }), words));
}

test('networks contain their addresses, and no other', () => {
  const { trustedProxies, smtpProxyFrom } = read({
    TRUSTED_PROXIES: '10.0.0.0/8, fd00::/8',
    SMTP_PROXY_FROM: '192.0.2.1,2001:db8::1',
  });
  const held = (list: Config['trustedProxies'], address: string) =>
    list?.check(address, address.includes(':') ? 'ipv6' : 'ipv4');
  assert.deepEqual(
    ['10.9.9.9', '11.0.0.1', 'fd12::1', 'fe00::1'].map((address) => held(trustedProxies, address)),
    [true, false, true, false],
  );
  assert.deepEqual(
    ['192.0.2.1', '192.0.2.2', '2001:db8::1', '2001:db8::2'].map((address) => held(smtpProxyFrom, address)),
    [true, false, true, false],
  );
});

test('a store of a cluster needs both addresses', () => {
  const cluster = { MONGODB_URI: 'mongodb+srv://a,b/mail', REDIS_URL: 'rediss://cache:6380' };
  assert.deepEqual(read(cluster).cluster, { mongodbUri: cluster.MONGODB_URI, redisUrl: cluster.REDIS_URL });
  assert.ok(read({ ...cluster, MONGODB_URI: 'mongodb://a' }).cluster);
  for (const one of ['MONGODB_URI', 'REDIS_URL'] as const)
    assert.throws(() => read({ [one]: cluster[one] }), /must be set together/);
});

test('a bootstrap user has an e-mail in small letters, a password and maybe a key', () => {
  const [email, password] = ['QA@app.test', 'x'.repeat(10)];
  const given = { BOOTSTRAP_EMAIL: email, BOOTSTRAP_PASSWORD: password };
  assert.deepEqual(read(given).bootstrap, { email: 'qa@app.test', password, apiKey: null, capture: null });
  assert.equal(read({ ...given, BOOTSTRAP_API_KEY: key }).bootstrap?.apiKey, key);
  assert.throws(() => read({ BOOTSTRAP_EMAIL: email }), /BOOTSTRAP_PASSWORD is missing/);
  assert.throws(() => read({ BOOTSTRAP_PASSWORD: password }), /BOOTSTRAP_EMAIL is missing/);
  assert.throws(() => read({ BOOTSTRAP_API_KEY: key }), /BOOTSTRAP_EMAIL is missing/);
});

test('a bootstrap account has the user that is named, or one of its own without a password', () => {
  const capture = 'inbox@sandpost.test';
  const given = { BOOTSTRAP_CAPTURE: 'Inbox@Sandpost.TEST' };
  const own = { email: 'bootstrap@sandpost.test', password: null, apiKey: null, capture };
  assert.deepEqual(read(given).bootstrap, own);
  assert.deepEqual(read({ ...given, BOOTSTRAP_API_KEY: key }).bootstrap, { ...own, apiKey: key });
  const user = { BOOTSTRAP_EMAIL: 'qa@app.test', BOOTSTRAP_PASSWORD: 'x'.repeat(10) };
  assert.deepEqual(read({ ...given, ...user }).bootstrap, {
    ...{ email: 'qa@app.test', password: user.BOOTSTRAP_PASSWORD, apiKey: null, capture },
  });
  assert.throws(() => read({ ...given, BOOTSTRAP_EMAIL: 'qa@app.test' }), /BOOTSTRAP_PASSWORD is missing/);
  assert.throws(() => read({ ...given, CAPTURE: 'a@app.test' }), /SANDPOST_CAPTURE or .*, not both/);
  for (const bad of ['sandpost.test', 'Inbox <inbox@sandpost.test>', 'a@b'])
    assert.throws(() => read({ BOOTSTRAP_CAPTURE: bad }), /BOOTSTRAP_CAPTURE: .* is not an address/);
});

test('an option wins over a variable, and that over the file of a secret', (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'sandpost-config-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  const file = path.join(folder, 'password');
  writeFileSync(file, ' from the file\n');
  const given = variables({
    BOOTSTRAP_EMAIL: 'qa@app.test',
    BOOTSTRAP_PASSWORD_FILE: file,
    HTTP_HOST_FILE: file,
  });
  assert.equal(readConfig(given).bootstrap?.password, 'from the file');
  assert.equal(readConfig(given).httpHost, '127.0.0.1', 'a file is read for secrets only');
  const both = { ...given, ...variables({ BOOTSTRAP_PASSWORD: 'the variable' }) };
  assert.equal(readConfig(both).bootstrap?.password, 'the variable');
  assert.equal(readConfig(both, { 'bootstrap-password': 'the option' }).bootstrap?.password, 'the option');
  assert.throws(() => readConfig({}, { 'http-port': 'x' }), /^ConfigError: --http-port: must be a port/);
  const away = variables({ MONGODB_URI_FILE: path.join(folder, 'away') });
  assert.throws(
    () => readConfig(away),
    /^ConfigError: SANDPOST_MONGODB_URI_FILE: the file .* cannot be read/,
  );
});

test('requests to the outside are off until a setting allows some', () => {
  assert.equal(read({ OUTBOUND: 'public' }).outbound?.isPublic, true);
  const { outbound } = read({ OUTBOUND_NETWORKS: '10.0.0.0/8' });
  assert.equal(outbound?.isPublic, false);
  assert.equal(outbound.networks.check('10.1.1.1'), true);
  assert.throws(() => read({ OUTBOUND: 'all' }), /SANDPOST_OUTBOUND/);
});
