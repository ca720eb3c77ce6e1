import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, BlockList, createServer, type Socket } from 'node:net';
import { after, before, test } from 'node:test';
import { createResolver } from '#adapters/dns/dns.ts';
import { createLinkChecker } from '#adapters/outbound/link-checker.ts';
import { limits } from '#core/limits.ts';
import { type DnsServer, startDnsServer } from '#test/support/clients/dns-server.ts';
import { until } from '#test/support/runner/until.ts';

/** Responses by path, on a connection that stays open. */
const answers: Record<string, (socket: Socket) => void> = {
  ok: (socket) => socket.end('HTTP/1.1 200 OK\r\n\r\n'),
  hang: (socket) => {
    hanging += 1;
    socket.once('close', () => {
      hanging -= 1;
    });
  },
  drip: (socket) => {
    socket.write('HTTP/1.1 200 OK\r\nA: ');
    const dripping = setInterval(() => socket.write('x'), 10);
    socket.once('close', () => clearInterval(dripping));
  },
  circle: (socket) => socket.end('HTTP/1.1 302 Found\r\nLocation: /circle\r\n\r\n'),
  header: (socket) => flood(socket, 'HTTP/1.1 200 OK\r\n', 'A: b\r\n'.repeat(10_000)),
  line: (socket) => flood(socket, 'HTTP/1.1 200 OK\r\nA: ', 'x'.repeat(60_000)),
  status: (socket) => flood(socket, 'HTTP/1.1 200 ', 'x'.repeat(60_000)),
  body: (socket) => flood(socket, 'HTTP/1.1 404 Gone\r\n\r\n', 'x'.repeat(60_000)),
  chunks: (socket) =>
    flood(socket, 'HTTP/1.1 404 Gone\r\nTransfer-Encoding: chunked\r\n\r\n', `ffff;${'x'.repeat(60_000)}`),
  pipelined: (socket) => flood(socket, '', 'HTTP/1.1 404 Gone\r\nContent-Length: 0\r\n\r\n'.repeat(1000)),
};

const sockets = new Set<Socket>();
let flooded = 0;
let hanging = 0;

/** Writes endlessly, as fast as the client reads. */
function flood(socket: Socket, head: string, more: string): void {
  socket.write(head);
  const write = () => {
    while (!socket.destroyed && socket.write(more)) flooded += more.length;
    flooded += more.length;
  };
  socket.on('drain', write);
  write();
}

const server = createServer((socket) => {
  sockets.add(socket);
  socket.on('error', () => {});
  socket.once('close', () => sockets.delete(socket));
  socket.once('data', (head) => {
    const [, path = ''] = /^\w+ \/(\w*)/.exec(head.toString()) ?? [];
    answers[path]?.(socket);
  });
});
let dns: DnsServer;
let port: number;
before(async () => {
  dns = await startDnsServer();
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  ({ port } = server.address() as AddressInfo);
});
after(async () => {
  for (const socket of sockets) socket.destroy();
  server.close();
  await dns.close();
});

const never = new AbortController().signal;
/** URL at a host whose name resolves to the server. */
const at = (host: string, path: string) => {
  dns.zones[host] = { A: ['127.0.0.1'] };
  return `http://${host}:${port}/${path}`;
};

function checker({ linkMs = 10_000, isPublic = false } = {}) {
  const networks = new BlockList();
  if (!isPublic) networks.addSubnet('127.0.0.0', 8, 'ipv4');
  const resolver = createResolver({ servers: [dns.address], timeoutMs: 5000 });
  return createLinkChecker({ isPublic, networks, resolver, linkMs, limitReached: () => {} });
}

const outcomes: [path: string, status: number | null, error: RegExp | null][] = [
  ['drip', null, /No response within 0\.5 s/],
  ['circle', 302, /More than 3 redirects/],
  ['header', null, /response header is too long/],
  ['line', null, /response header is too long/],
  ['status', null, /too long|not HTTP|No response within/],
  ['body', 404, null],
  ['chunks', 404, null],
  ['pipelined', 404, null],
];
for (const [path, status, error] of outcomes) {
  test(`a server takes little of the time and the memory of the check: ${path}`, async () => {
    flooded = 0;
    const isSlow = path === 'drip';
    const [result] = await checker(isSlow ? { linkMs: 500 } : {}).check(1, [at('app.test', path)], never);
    assert.equal(result?.status, status);
    if (error === null) assert.equal(result.error, null);
    else assert.match(result.error ?? '', error);
    // Two requests, each with a socket's buffers.
    assert.ok(flooded < 64 * 1024 * 1024, `${flooded} bytes were taken`);
    await until(() => sockets.size === 0);
  });
}

const aliases: [what: string, record: { A?: string[]; AAAA?: string[]; CNAME?: string }][] = [
  ['metadata of most clouds', { A: ['169.254.169.254'] }],
  ['metadata of AWS', { AAAA: ['fd00:ec2::254'] }],
  ['metadata of Alibaba, in CGNAT', { A: ['100.100.100.200'] }],
  ['NAT64', { AAAA: ['64:ff9b::a9fe:a9fe'] }],
  ['6to4', { AAAA: ['2002:a9fe:a9fe::1'] }],
  ['Teredo', { AAAA: ['2001:0:a9fe:a9fe::1'] }],
  ['a mapped address', { AAAA: ['::ffff:a9fe:a9fe'] }],
  ['a public address and metadata', { A: ['8.8.8.8', '169.254.169.254'] }],
  ['an alias of metadata', { CNAME: 'inner.test' }],
];
for (const [what, record] of aliases) {
  test(`where all of the web may be requested, no name leads to what is not: ${what}`, async () => {
    dns.zones['outer.test'] = { ...record, ttl: 0 };
    dns.zones['inner.test'] = { A: ['169.254.169.254'], ttl: 0 };
    const url = `http://outer.test:${port}/latest/meta-data/`;
    const [result] = await checker({ isPublic: true }).check(1, [url], never);
    assert.match(result?.error ?? '', /none of its host's addresses/);
  });
}

test('links that hang, as many as a user may check, hold neither the places nor the hosts of another', async () => {
  const one = checker({ linkMs: 60_000 });
  const gone = new AbortController();
  const shared = at('shop.test', 'hang');
  const checks = Array.from({ length: limits.outbound.checks }, (_, check) => {
    const links = Array.from({ length: limits.outbound.links - 4 }, (_, n) =>
      at(`${check}-${n}.test`, 'hang'),
    );
    // Requests to the other user's host wait for this user's slots.
    return one.check(1, [...links, ...Array<string>(4).fill(shared)], gone.signal);
  });
  const ended = Promise.allSettled(checks);
  await until(() => hanging === limits.outbound.atOncePerUser);
  const links = [at('shop.test', 'ok'), at('shop.test', 'ok'), at('other.test', 'ok')];
  const results = await one.check(2, links, never);
  const statuses = results.map(({ status }) => status);
  assert.deepEqual(statuses, [200, 200, 200]);
  assert.equal(hanging, limits.outbound.atOncePerUser, 'the first links of the other user still hang');
  gone.abort();
  await ended;
});
