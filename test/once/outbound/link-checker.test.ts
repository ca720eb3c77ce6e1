import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { type AddressInfo, BlockList } from 'node:net';
import { after, before, test } from 'node:test';
import { createResolver, type Resolver } from '#adapters/dns/dns.ts';
import { createLinkChecker } from '#adapters/outbound/link-checker.ts';
import { limits } from '#core/limits.ts';
import { type DnsServer, startDnsServer } from '#test/support/clients/dns-server.ts';
import { until } from '#test/support/runner/until.ts';

/** Requests that the server received, as `HEAD /path`. */
const asked: string[] = [];
const heads: IncomingMessage['headers'][] = [];
const held: (() => void)[] = [];

/** Responses to HEAD and GET as bytes, by path. The connection stays open afterward. */
const rawAnswers: Record<string, string> = {
  upgrade: 'HTTP/1.1 101 S\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
  'no-upgrade': 'HTTP/1.1 101 S\r\n\r\n',
  zero: 'HTTP/1.1 000 x\r\n\r\n',
  hints: 'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(100),
  'few-hints': `${'HTTP/1.1 103 Early Hints\r\n\r\n'.repeat(2)}HTTP/1.1 200 OK\r\n\r\n`,
  continue: 'HTTP/1.1 100 Continue\r\n\r\n',
  part: 'HTTP/1.1 200 OK\r\nA',
};
let holding = false;

function answer(request: IncomingMessage, response: ServerResponse): void {
  const { method, url = '' } = request;
  asked.push(`${method} ${url}`);
  heads.push(request.headers);
  const [, what, to = ''] = url.split('/', 3);
  if (holding) held.push(() => response.end());
  else if (what === 'to') response.writeHead(302, { location: decodeURIComponent(to) }).end();
  else if (what === 'no-head') response.writeHead(method === 'HEAD' ? 405 : 200).end('x'.repeat(1e6));
  else if (what === 'cut-head' && method === 'HEAD') request.socket.destroy();
  else if (what === 'cut') request.socket.destroy();
  else if (what === 'junk') request.socket.end('220 mail.example ESMTP\r\n');
  else if (what === 'cookie') response.writeHead(302, { 'set-cookie': 'a=b; Path=/', location: '/ok' }).end();
  else if (what === 'hang') return;
  else if (rawAnswers[what ?? ''] !== undefined) request.socket.write(rawAnswers[what ?? ''] ?? '');
  else response.writeHead(what === 'gone' ? 404 : 200).end();
}

const server = createServer(answer);
let dns: DnsServer;
let port: number;
const user = 1;
const never = new AbortController().signal;

before(async () => {
  dns = await startDnsServer({
    'app.test': { A: ['127.0.0.1'] },
    'both.test': { A: ['127.0.0.1', '10.9.9.9'] },
    'mixed.test': { A: ['127.0.0.1'], AAAA: ['fd00::1'] },
    'private.test': { A: ['10.9.9.9'] },
    'mapped.test': { AAAA: ['::ffff:a09:909'] },
    'public.test': { A: ['8.8.8.8'] },
    'public-too.test': { A: ['127.0.0.1', '8.8.8.8'] },
  });
  dns.misbehaviour.set('broken.test', 'SERVFAIL');
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  port = (server.address() as AddressInfo).port;
});
after(async () => {
  server.closeAllConnections();
  server.close();
  await dns.close();
});

type Options = {
  linkMs?: number;
  isPublic?: boolean;
  resolver?: Pick<Resolver, 'resolve'>;
};

function checker({ linkMs = 10_000, isPublic = true, resolver = ofDns() }: Options = {}) {
  const networks = new BlockList();
  networks.addSubnet('127.0.0.0', 8, 'ipv4');
  return createLinkChecker({ isPublic, networks, resolver, linkMs, limitReached: () => {} });
}

function ofDns(): Resolver {
  return createResolver({ servers: [dns.address], timeoutMs: 5000 });
}

async function check(url: string, options: Options = {}) {
  const [result] = await checker(options).check(user, [url], never);
  assert.ok(result);
  return result;
}

const at = (path: string, host = 'app.test') => `http://${host}:${port}${path}`;
const to = (url: string) => at(`/to/${encodeURIComponent(url)}`);

test('a link is requested by HEAD, as nobody', async () => {
  asked.length = 0;
  heads.length = 0;
  const { ms, ...result } = await check(at('/orders?a=1#b').replace('http://', 'http://ada:secret@'));
  assert.deepEqual(result, { status: 200, error: null, redirects: 0 });
  assert.ok(Number.isInteger(ms));
  assert.deepEqual(asked, ['HEAD /orders?a=1']);
  const [head] = heads;
  assert.equal(head?.host, `app.test:${port}`);
  assert.match(head['user-agent'] ?? '', /^Sandpost\//);
  assert.deepEqual([head.authorization, head.cookie, head.referer], [undefined, undefined, undefined]);
});

const outcomes: [name: string, path: string, status: number | null, error: RegExp | null, asked: string[]][] =
  [
    ['no HEAD', '/no-head', 200, null, ['HEAD /no-head', 'GET /no-head']],
    ['a HEAD that is cut', '/cut-head', 200, null, ['HEAD /cut-head', 'GET /cut-head']],
    ['a page that is gone', '/gone', 404, null, ['HEAD /gone', 'GET /gone']],
    ['a cut connection', '/cut', null, /closed the connection/, ['HEAD /cut', 'GET /cut']],
    ['a protocol that nobody asked for', '/upgrade', null, /not HTTP/, ['HEAD /upgrade']],
    ['101 alone', '/no-upgrade', null, /not HTTP/, ['HEAD /no-upgrade']],
    ['a status that is none', '/zero', null, /not HTTP/, ['HEAD /zero']],
    ['interim answers without end', '/hints', null, /header is too long/, ['HEAD /hints']],
    ['some interim answers', '/few-hints', 200, null, ['HEAD /few-hints']],
    ['another protocol', '/junk', null, /not HTTP/, ['HEAD /junk', 'GET /junk']],
  ];
for (const [name, path, status, error, requests] of outcomes) {
  test(`a link with ${name}`, async () => {
    asked.length = 0;
    const result = await check(at(path));
    assert.equal(result.status, status);
    if (error === null) assert.equal(result.error, null);
    else assert.match(result.error ?? '', error);
    assert.deepEqual(asked, requests);
  });
}

test('redirects are followed, three at most, without cookies', async () => {
  heads.length = 0;
  assert.partialDeepStrictEqual(await check(at('/cookie')), { status: 200, error: null, redirects: 1 });
  assert.equal(heads[1]?.cookie, undefined);
  assert.partialDeepStrictEqual(await check(to(to(to(at('/ok'))))), {
    status: 200,
    redirects: 3,
    error: null,
  });
  const long = await check(to(to(to(to(at('/ok'))))));
  assert.partialDeepStrictEqual(long, { status: 302, redirects: 3 });
  assert.match(long.error ?? '', /More than 3 redirects/);
});

const refused: [name: string, url: () => string, error: RegExp][] = [
  ['a private address', () => 'http://10.9.9.9/', /none of its host's addresses/],
  ['a decimal address', () => 'http://168430090/', /none of its host's addresses/],
  ['an octal address', () => 'http://012.011.011.011/', /none of its host's addresses/],
  ['a hexadecimal address', () => 'http://0x0a090909/', /none of its host's addresses/],
  ['an IPv4-mapped address', () => 'http://[::ffff:10.9.9.9]/', /none of its host's addresses/],
  ['a NAT64 address', () => 'http://[64:ff9b::a09:909]/', /none of its host's addresses/],
  ['IPv6 loopback', () => 'http://[::1]/', /none of its host's addresses/],
  [
    'the metadata of a cloud',
    () => 'http://169.254.169.254/latest/meta-data/',
    /none of its host's addresses/,
  ],
  ['a name of a private address', () => at('/', 'private.test'), /none of its host's addresses/],
  ['a name of a mapped address', () => at('/', 'mapped.test'), /none of its host's addresses/],
  ['a name with a private address among others', () => at('/', 'both.test'), /none of its host's addresses/],
  ['a name with a private IPv6 address', () => at('/', 'mixed.test'), /none of its host's addresses/],
  ['a name that does not exist', () => at('/', 'none.test'), /none of its host's addresses/],
  ['a name that the DNS cannot tell', () => at('/', 'broken.test'), /DNS lookup .* received no answer/],
  ['another port of a public address', () => 'http://8.8.8.8:22/', /port 22 is not allowed/],
  ['another port of a public host', () => 'https://public.test:8443/', /port 8443 is not allowed/],
  ['another port of a host of both', () => 'http://public-too.test:3000/', /port 3000 is not allowed/],
  ['a redirect to a private address', () => to('http://10.9.9.9/'), /none of its host's addresses/],
  ['a redirect to another port', () => to('http://public.test:22/'), /port 22 is not allowed/],
  ['a redirect to a file', () => to('file:///etc/passwd'), /not a web link/],
  ['a redirect to nothing', () => to('http://['), /an invalid link/],
  [
    'a redirect to a link that verifies',
    () => to(at('/verify?t=1')),
    /redirects to a link that might perform an action.* verifies/,
  ],
  [
    'a redirect to a link that deletes',
    () => to(at('/orders/7/delete')),
    /redirects to a link that might perform an action.*“delete”/,
  ],
  [
    'a redirect to a link with a token',
    () => to(at('/o?token=1')),
    /redirects to a link that might perform an action.* token/,
  ],
];
for (const [name, url, error] of refused) {
  test(`${name} is not requested`, async () => {
    asked.length = 0;
    const { error: found, status } = await check(url());
    assert.match(found ?? '', error);
    assert.equal(status, name.startsWith('a redirect') ? 302 : null);
    assert.equal(asked.length, name.startsWith('a redirect') ? 1 : 0, asked.join());
  });
}

test('a name whose address changes between two questions is asked once, and connected to where it was checked', async () => {
  asked.length = 0;
  dns.questions.length = 0;
  dns.zones['rebound.test'] = { A: ['127.0.0.1'], ttl: 0 };
  const one = checker();
  assert.partialDeepStrictEqual((await one.check(user, [at('/', 'rebound.test')], never))[0], {
    status: 200,
  });
  assert.deepEqual(
    dns.questions.filter((question) => question.startsWith('A ')),
    ['A rebound.test'],
  );
  dns.zones['rebound.test'] = { A: ['10.9.9.9'], ttl: 0 };
  const [second] = await one.check(user, [at('/', 'rebound.test')], never);
  assert.match(second?.error ?? '', /none of its host's addresses/);
  assert.equal(asked.length, 1);
});

test('a host in the networks of the settings is requested at any port', async () => {
  assert.partialDeepStrictEqual(await check(at('/orders')), { status: 200, error: null });
  assert.partialDeepStrictEqual(await check(at('/orders'), { isPublic: false }), {
    status: 200,
    error: null,
  });
});

test('public addresses are refused where only networks are allowed', async () => {
  assert.match(
    (await check('http://8.8.8.8/', { isPublic: false })).error ?? '',
    /none of its host's addresses/,
  );
});

for (const path of ['/hang', '/continue', '/part']) {
  test(`a link that does not answer has its time: ${path}`, async () => {
    const { status, error } = await check(at(path), { linkMs: 300 });
    assert.equal(status, null);
    assert.match(error ?? '', /No response within 0\.3 s/);
  });
}

test('a link has its time, and then leaves its place, even if nothing else ends', async () => {
  const resolver = { resolve: () => new Promise<never>(() => {}) };
  const one = checker({ linkMs: 100, resolver });
  const links = Array.from({ length: limits.outbound.atOncePerUser + 1 }, (_, n) => at('/ok', `${n}.test`));
  for (const { error } of await one.check(user, links, never))
    assert.match(error ?? '', /No response within/);
});

test('servers that switch to another protocol leave the places of requests to others', async () => {
  const one = checker();
  const { atOnce } = limits.outbound;
  const links = Array.from({ length: atOnce + 1 }, () => at('/upgrade'));
  const results = await one.check(1, links, never);
  assert.equal(results.filter(({ error }) => error === 'The response is not HTTP').length, links.length);
  assert.equal((await one.check(2, [at('/ok')], never))[0]?.status, 200);
});

test('a host has two requests at a time, whoever asks, and a user two checks', async () => {
  asked.length = 0;
  holding = true;
  const one = checker();
  const links = (from: string) => Array.from({ length: 3 }, (_, index) => at(`/${from}${index}`));
  const checks = [
    one.check(1, links('a'), never),
    one.check(1, links('b'), never),
    one.check(2, links('c'), never),
  ];
  await assert.rejects(one.check(1, links('d'), never), { name: 'TooMany' });
  const order: number[] = [];
  while (order.length < 9) {
    await until(() => held.length > 0);
    order.push(asked.length);
    assert.ok(asked.length - (order.length - 1) <= limits.outbound.atOncePerHost, asked.join());
    held.shift()?.();
  }
  holding = false;
  const results = (await Promise.all(checks)).flat();
  const statuses = results.map(({ status }) => status);
  assert.deepEqual(statuses, Array(9).fill(200));
  // Users take turns.
  assert.ok(
    asked.slice(0, 4).some((request) => request.includes('/c')),
    asked.join(),
  );
  assert.equal((await one.check(1, [at('/ok')], never))[0]?.status, 200);
});

test('a check ends with its client', async () => {
  const gone = new AbortController();
  asked.length = 0;
  const ended = assert.rejects(checker().check(user, [at('/hang'), at('/hang'), at('/hang')], gone.signal));
  await until(() => asked.length === 2);
  gone.abort();
  await ended;
  assert.equal(asked.length, 2);
});
