import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import { assertUnharmed, measureHarm } from '#test/support/hostile/measure-harm.ts';
import { openSocket, repeatRequest, requestBytes, statuses } from '#test/support/hostile/raw-request.ts';
import { scene } from '#test/support/program/scene.ts';
import { createUser } from '#test/support/program/user.ts';
import { paced } from '#test/support/runner/clocks.ts';

const KiB = 1024;
const { program, user: victim } = await scene({});
const hostile = await createUser(program);

/** Builds a body of at most `size` bytes that repeats `item` as often as fits. */
const filled = (size: number, begin: string, item: string, end: string) =>
  begin + item.repeat(Math.floor((size - begin.length - end.length - 1) / item.length)) + end;

const keys = (count: number) => `{${Array.from({ length: count }, (_, index) => `"${index}":0`).join(',')}}`;

/** Builds bodies of about `size` bytes, with the status that they get if they are within the limits. */
const bodies = (size: number): [string, string, number][] => [
  ['numbers', filled(size, '{"domain":[', '1,', '1]}'), size < 20_000 ? 422 : 400],
  ['lists', filled(size, '{"domain":[', '[],', '1]}'), size < 20_000 ? 422 : 400],
  ['objects', filled(size, '{"domain":[', '{},', '1]}'), size < 20_000 ? 422 : 400],
  ['one name again and again', filled(size, '{', '"domain":1,', '"domain":2}'), 422],
  ['names', keys(Math.floor(size / 9)), 422],
  ['nesting', filled(size, '{"domain":', '[', ''), 400],
  ['digits', filled(size, '{"domain":', '9', '}'), 422],
  ['escapes', filled(size, '{"domain":"', '\\u00e9', '"}'), 422],
  ['half surrogate pairs', filled(size, '{"domain":"', '\\ud800', '"}'), 400],
  ['quotes', filled(size, '{"domain":"', '\\"', '"}'), 422],
  ['labels', filled(size, '{"domain":"', 'a.', 'test"}'), 422],
  ['white space', filled(size, '{"domain":1', ' ', '}'), 422],
  ['no JSON', filled(size, '{', ',', '}'), 400],
  ['addresses', filled(size, '{"address":"', '=?', `@${'x.test'}"}`), 422],
];

test('bodies of a user at their bound harm nobody, whatever they contain', async () => {
  const cases = ['/api/domains', '/api/accounts', '/api/tokens'].flatMap((path) =>
    bodies(64 * KiB).map(([name, body, status]) => ({ name, path, status, body })),
  );
  const answers: Record<string, number[]> = {};
  const harm = await measureHarm(program, victim, async () => {
    for (const { name, path, body } of cases) {
      const bytes = requestBytes(path, body, { 'X-API-KEY': hostile.key });
      answers[`${path} ${name}`] = await repeatRequest(program, bytes, 5);
    }
  });
  assertUnharmed(harm);
  for (const { name, path, status } of cases) {
    const found = answers[`${path} ${name}`];
    // A token needs no name: a body without a name creates a token.
    const expected = path === '/api/tokens' && status === 422 ? 200 : status;
    assert.deepEqual(
      found,
      new Array(5).fill(path === '/api/accounts' ? status : expected),
      `${path} ${name}`,
    );
  }
});

test('bodies of visitors, small and large, harm nobody', async () => {
  const small = bodies(limits.http.publicBodyBytes).map(([, body]) => requestBytes('/api/auth/login', body));
  const large = bodies(1024 * KiB).map(([, body]) => requestBytes('/api/auth/login', body));
  const found: number[] = [];
  const harm = await measureHarm(program, victim, async () => {
    for (const bytes of small) found.push(...(await repeatRequest(program, bytes, 20)));
    for (const bytes of large) {
      const statusOfEach = await Promise.all([1, 2, 3, 4].map(() => repeatRequest(program, bytes, 1)));
      found.push(...statusOfEach.flat());
    }
  });
  assertUnharmed(harm);
  assert.deepEqual([...new Set(found)].sort(), [400, 413, 422]);
});

test('nesting of half a million levels is refused at its beginning', async () => {
  const body = `{"to":${'['.repeat(500_000)}${']'.repeat(500_000)}}`;
  const harm = await measureHarm(program, victim, async () => {
    for (const path of [
      '/api/auth/login',
      '/api/domains',
      `/api/accounts/${hostile.account.id}/messages/send`,
    ]) {
      const bytes = requestBytes(path, body, { 'X-API-KEY': hostile.key });
      const [status] = await repeatRequest(program, bytes, 1);
      assert.ok(status === 400 || status === 413, `${path}: ${status}`);
    }
  });
  assertUnharmed(harm);
});

test('bodies in chunks of one byte are not taken', async () => {
  const chunks = '1\r\n \r\n'.repeat(60 * KiB);
  const head = (path: string) =>
    `POST ${path} HTTP/1.1\r\nHost: x\r\nX-API-KEY: ${hostile.key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
  const bytes = Buffer.from(head('/api/domains') + chunks);
  const harm = await measureHarm(program, victim, async () => {
    const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket(program)));
    for (const socket of sockets) {
      socket.write(bytes);
      await paced(50);
    }
    const found = await Promise.all(sockets.map((socket) => statuses(socket, 1)));
    assert.deepEqual(found.flat(), []);
  });
  assertUnharmed(harm, { memoryBytes: 60e6 });
});

test('bodies that are held open cost little, and are ended', { timeout: 60_000 }, async () => {
  const announced = (path: string, length: number, sent: number, key: string) =>
    requestBytes(path, Buffer.alloc(sent, 0x20), {
      'Content-Length': `${length}`,
      ...(key === '' ? {} : { 'X-API-KEY': key }),
    });
  const login = announced(
    '/api/auth/login',
    limits.http.publicBodyBytes,
    limits.http.publicBodyBytes - 1,
    '',
  );
  const large = announced('/api/auth/login', KiB * KiB, KiB * KiB - 1, '');
  const usual = announced('/api/domains', 64 * KiB, 64 * KiB - 1, hostile.key);
  const harm = await measureHarm(program, victim, async () => {
    const sockets = await Promise.all(Array.from({ length: 490 }, () => openSocket(program)));
    const ends = [];
    for (const [index, socket] of sockets.entries()) {
      // Receiving simultaneous bytes has a cost, whatever the server does with them: bodies are sent one after another, and held open
      // together.
      const bytes = index % 20 === 0 ? large : index % 2 === 0 ? login : usual;
      ends.push(statuses(socket, 1));
      await new Promise((resolve) => socket.write(bytes, resolve));
    }
    const found = (await Promise.all(ends)).flat();
    // The program would wait for the rest of the bodies when it stops.
    for (const socket of sockets) socket.destroy();
    assert.equal(found.length, 490);
    assert.deepEqual([...new Set(found)].sort(), [408, 413]);
  });
  assertUnharmed(harm);
});
