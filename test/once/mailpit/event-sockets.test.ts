import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { after, test } from 'node:test';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const { program, user } = await scene();
const open = new Set<Socket>();
after(() => {
  for (const socket of open) socket.destroy();
});

type Frame = { Type: string; Data: Record<string, unknown> | null };

/** WebSocket without a library, which may send anything. */
class RawSocket {
  readonly socket: Socket;
  #bytes = Buffer.alloc(0);

  constructor(headers: Record<string, string> = {}, path = '/api/events', first = '') {
    this.socket = connect(program.httpPort, '127.0.0.1');
    open.add(this.socket);
    this.socket.on('error', () => {});
    this.socket.on('data', (bytes) => {
      this.#bytes = Buffer.concat([this.#bytes, bytes]);
    });
    const all = {
      ...{ Host: `127.0.0.1:${program.httpPort}`, Connection: 'Upgrade', Upgrade: 'websocket' },
      ...{ 'Sec-WebSocket-Version': '13', 'Sec-WebSocket-Key': randomBytes(16).toString('base64') },
      ...headers,
    };
    const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
    this.socket.write(`${first}GET ${path} HTTP/1.1\r\n${lines.join('')}\r\n`);
  }

  /** Response head, or an empty text. */
  get head(): string {
    const end = this.#bytes.indexOf('\r\n\r\n');
    return end < 0 ? '' : this.#bytes.subarray(0, end).toString('latin1');
  }

  /** Received frames, by opcode. */
  get raw(): { opcode: number; payload: Buffer }[] {
    const found: { opcode: number; payload: Buffer }[] = [];
    let at = this.#bytes.indexOf('\r\n\r\n') + 4;
    while (at + 2 <= this.#bytes.length) {
      const short = this.#bytes.readUInt8(at + 1);
      const [size, from] = short === 126 ? [this.#bytes.readUInt16BE(at + 2), at + 4] : [short, at + 2];
      found.push({
        opcode: this.#bytes.readUInt8(at),
        payload: this.#bytes.subarray(from, from + size),
      });
      at = from + size;
    }
    return found;
  }

  get frames(): Frame[] {
    return this.raw
      .filter(({ opcode }) => opcode === 0x81)
      .map(({ payload }) => JSON.parse(payload.toString('utf8')));
  }

  async answered(): Promise<string> {
    await until(() => this.head !== '' || this.socket.destroyed, 10_000, 20);
    return this.head.split('\r\n', 1)[0] ?? '';
  }

  async has(wanted: (frames: Frame[]) => boolean): Promise<void> {
    await until(() => wanted(this.frames), 10_000, 20);
  }

  ended(): Promise<void> {
    return until(() => this.socket.closed || this.socket.readableEnded, 10_000, 20);
  }

  /** Sends a client's frame, masked with zeros. */
  send(first: number, payload: Buffer): void {
    const head = Buffer.from([first, 0x80 | 126, payload.length >> 8, payload.length & 255, 0, 0, 0, 0]);
    this.socket.write(Buffer.concat([head, payload]));
  }
}

const withKey = (key = user.key) => ({ 'X-API-KEY': key });
const switched = 'HTTP/1.1 101 Switching Protocols';

async function opened(headers: Record<string, string> = withKey()): Promise<RawSocket> {
  const socket = new RawSocket(headers);
  assert.equal(await socket.answered(), switched);
  return socket;
}

test('a socket has new, update, delete, stats and truncate, by a key in the header or the password', async () => {
  const basic = Buffer.from(`anybody:${user.key}`).toString('base64');
  const sockets = [await opened(), await opened({ Authorization: `Basic ${basic}` })];
  const id = await deliverOne(program, { to: user.address, subject: 'Grüße' });
  for (const socket of sockets) {
    await socket.has((frames) => frames.some(({ Type }) => Type === 'stats'));
    const [first, stats] = socket.frames;
    assert.deepEqual([first?.Type, first?.Data?.ID, first?.Data?.Subject], ['new', String(id), 'Grüße']);
    assert.deepEqual([stats?.Type, stats?.Data?.Total, stats?.Data?.Unread], ['stats', 1, 1]);
  }
  await ok(user.api.patch(`/api/messages/${id}`, { is_read: true }));
  await ok(user.api.patch(`/api/messages/${id}`, { tags: ['b', 'a'] }));
  for (const socket of sockets)
    await socket.has((frames) => frames.some(({ Data }) => Data?.Tags !== undefined));
  const late = await opened();
  await ok(user.api.patch(`/api/messages/${id}`, { is_flagged: true, is_read: false }));
  await late.has((frames) => frames.some(({ Type }) => Type === 'update'));
  await ok(user.api.delete(`/api/messages/${id}`));
  for (const socket of sockets) {
    await socket.has((frames) => frames.some(({ Type }) => Type === 'delete'));
    await socket.has((frames) => frames.some(({ Type, Data }) => Type === 'stats' && Data?.Total === 0));
    // A count may show a deletion before its event arrives.
    const changes = socket.frames.filter(({ Type }) => ['update', 'delete'].includes(Type));
    assert.deepEqual(changes, [
      { Type: 'update', Data: { ID: String(id), Read: true } },
      { Type: 'update', Data: { ID: String(id), Tags: ['a', 'b'] } },
      { Type: 'update', Data: { ID: String(id), Read: false } },
      { Type: 'delete', Data: { ID: String(id) } },
    ]);
    assert.ok(socket.frames.some(({ Type, Data }) => Type === 'truncate' && Data === null));
    socket.socket.destroy();
  }
});

test('nobody opens a socket without a key, from the page of another site, or elsewhere', async () => {
  for (const [headers, path, status] of [
    [{}, '/api/events', 401],
    [withKey('sp_wrong'), '/api/events', 401],
    [{ Cookie: 'sandpost_session=x' }, '/api/events', 401],
    [{ ...withKey(), Origin: 'https://evil.example' }, '/api/events', 403],
    [{ ...withKey(), Origin: 'null' }, '/api/events', 403],
    [{ ...withKey(), 'Sec-WebSocket-Version': '12' }, '/api/events', 400],
    [{ ...withKey(), 'Sec-WebSocket-Key': 'short' }, '/api/events', 400],
    [withKey(), '/api/v1/events', 404],
    [withKey(), '/api/events/', 404],
    [withKey(), '/api/nothing', 404],
    [withKey(), '/api/messages', 200],
    [{ ...withKey(), Upgrade: 'h2c' }, '/api/events', 200],
    [{ ...withKey(), 'Content-Length': '3' }, '/api/events', 200],
  ] as const) {
    const socket = new RawSocket({ ...headers }, path);
    assert.match(
      await socket.answered(),
      new RegExp(`^HTTP/1.1 ${status} `),
      JSON.stringify([headers, path]),
    );
    socket.socket.destroy();
  }
  const refused = new RawSocket({});
  await refused.ended();
  assert.match(refused.head, /WWW-Authenticate: Basic/i);
});

test('a handshake behind a request that has no answer yet is a request without an upgrade', async () => {
  const first = `GET /api/messages HTTP/1.1\r\nHost: 127.0.0.1:${program.httpPort}\r\nX-API-KEY: ${user.key}\r\n\r\n`;
  const socket = new RawSocket(withKey(), '/api/events', first);
  assert.match(await socket.answered(), /^HTTP\/1.1 200 /);
  socket.socket.destroy();
  await opened();
});

test('the sockets of a user are bounded together with streams', async () => {
  const owner = await createUser(program);
  const sockets = Array.from({ length: 200 }, () => new RawSocket(withKey(owner.key)));
  const answers = await Promise.all(sockets.map((socket) => socket.answered()));
  assert.equal(answers.filter((answer) => answer === switched).length, 100);
  assert.equal(answers.filter((answer) => answer.startsWith('HTTP/1.1 429 ')).length, 100);
  const id = await deliverOne(program, { to: owner.address });
  const those = sockets.filter((_, index) => answers[index] === switched);
  for (const socket of those)
    await socket.has((frames) => frames.some(({ Data }) => Data?.ID === String(id)));
  for (const { socket } of sockets) socket.destroy();
  await until(
    async () => {
      const again = new RawSocket(withKey(owner.key));
      const answer = await again.answered();
      again.socket.destroy();
      return answer === switched;
    },
    10_000,
    100,
  );
});

test('what a client sends is bounded, not read, and not compressed', async () => {
  const long = await opened();
  long.send(0x82, Buffer.alloc(5000));
  await long.ended();

  const flood = await opened();
  for (let count = 0; count < 50; count += 1) flood.send(0x81, Buffer.alloc(130, 'x'));
  await flood.ended();

  const empty = await opened();
  empty.send(0x01, Buffer.alloc(126, 'x'));
  empty.socket.write(Buffer.alloc(12_000, Buffer.from([0x00, 0x80, 0, 0, 0, 0])));
  await empty.ended();

  const pings = await opened();
  for (let count = 0; count < 1000; count += 1)
    pings.socket.write(Buffer.from([0x89, 0x81, 0, 0, 0, 0, 120]));
  await pings.ended();

  const deflate = await opened({ ...withKey(), 'Sec-WebSocket-Extensions': 'permessage-deflate' });
  assert.doesNotMatch(deflate.head, /extensions/i);
  deflate.send(0xc1, Buffer.alloc(126));
  await deflate.ended();

  const protocol = await opened({ ...withKey(), 'Sec-WebSocket-Protocol': 'mail' });
  assert.doesNotMatch(protocol.head, /protocol:/i);
  protocol.socket.write(Buffer.from([0x89, 0x81, 0, 0, 0, 0, 120]));
  await until(() => protocol.raw.some(({ opcode }) => opcode === 0x8a), 10_000, 20);
});

test('a socket ends with its key, and shows no mail of after', async () => {
  const owner = await createUser(program);
  const { id, key } = await ok(owner.api.post('/api/tokens', { name: 'short', scope: 'read' }));
  const socket = await opened(withKey(key));
  await ok(owner.api.delete(`/api/tokens/${id}`));
  await deliverOne(program, { to: owner.address });
  await socket.ended();
  assert.deepEqual(socket.frames, []);
});

test('a socket of a key limited to accounts has their mail and its numbers alone', async () => {
  const owner = await createUser(program);
  const other = await ok(owner.api.post('/api/accounts', { address: `other@${owner.domain.domain}` }));
  const limited = { name: 'limited', scope: 'read', account_ids: [owner.account.id] };
  const { key } = await ok(owner.api.post('/api/tokens', limited));
  const [narrow, whole] = [await opened(withKey(key)), await opened(withKey(owner.key))];
  const foreign = await deliverOne(program, { to: other.address });
  const own = await deliverOne(program, { to: owner.address });
  await whole.has((frames) => frames.some(({ Data }) => Data?.Total === 2));
  await narrow.has((frames) => frames.some(({ Data }) => Data?.Total === 1));
  const seen = ({ frames }: RawSocket) => frames.flatMap(({ Data }) => Data?.ID ?? []);
  assert.deepEqual([seen(narrow), seen(whole)], [[String(own)], [String(foreign), String(own)]]);
});
