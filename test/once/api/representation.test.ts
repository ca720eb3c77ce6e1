import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { ok } from '#test/support/program/user.ts';

const decoders = { gzip: gunzipSync, br: brotliDecompressSync, identity: (bytes: Buffer) => bytes };

const { program, user } = await scene();
const id = await deliverOne(program, { to: user.address, text: 'a'.repeat(5000) });
const account = `/api/accounts/${user.account.id}`;
const paths: string[] = [
  '/api/domains',
  `/api/domains/${user.domain.id}`,
  '/api/accounts',
  account,
  `${account}/mailboxes`,
  `${account}/mailboxes/${user.inbox}`,
  `${account}/mailboxes/${user.inbox}/messages`,
  '/api/messages',
  `/api/messages/${id}`,
  '/api/tokens',
  '/api/auth/session',
];

test('one resource and lists have a strong tag, which is answered with 304', async () => {
  // The key's last use would change the token list in between.
  await user.api.get('/api/tokens');
  for (const path of paths) {
    const { headers } = await user.api.get(path);
    const tag = headers.etag ?? '';
    assert.match(tag, /^"[A-Za-z0-9_-]+"$/, path);
    assert.equal(headers['cache-control'], 'private, no-cache');
    assert.equal(headers.vary, 'Accept-Encoding, Cookie, X-API-KEY, X-Team-Id');
    for (const known of [tag, `W/${tag}`, `"other", ${tag}`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const again = await user.api.call(method, path, { headers: { 'if-none-match': known } });
        assert.equal(again.status, 304, `${method} ${path} ${known}`);
        assert.equal(again.headers.etag, tag);
        assert.equal(again.headers.vary, headers.vary);
        assert.equal(again.body.length, 0);
        assert.ok(again.headers['ratelimit-remaining']);
      }
    }
    assert.equal((await user.api.get(path, { headers: { 'if-none-match': '"other"' } })).status, 200);
  }
});

test('fetch, which adds Cache-Control: no-cache, gets 304 too', async () => {
  const url = `${program.baseUrl}/api/domains`;
  const first = await fetch(url, { headers: { 'X-API-KEY': user.key } });
  const headers = { 'X-API-KEY': user.key, 'If-None-Match': first.headers.get('etag') ?? '' };
  assert.equal((await fetch(url, { headers })).status, 304);
});

test('a change has another tag', async () => {
  const path = `/api/domains/${user.domain.id}`;
  const { headers } = await user.api.get(path);
  await ok(user.api.patch(path, { is_active: false }));
  await ok(user.api.patch(path, { is_active: true }));
  const again = await user.api.get(path, { headers: { 'if-none-match': headers.etag ?? '' } });
  assert.equal(again.status, 200);
});

test('bodies over 1 KiB are compressed where the client takes that, under another tag', async () => {
  const path = paths.at(-3) ?? '';
  const plain = await user.api.get(path);
  assert.equal(plain.headers['content-encoding'], undefined);
  const tags = new Set([plain.headers.etag]);
  for (const [accepted, encoding] of [
    ['gzip', 'gzip'],
    ['br', 'br'],
    ['gzip;q=0.5, br', 'br'],
    ['identity', undefined],
    ['gzip;q=0', undefined],
    ['zstd', undefined],
  ] as const) {
    const headers = { 'accept-encoding': accepted };
    const answer = await user.api.get(path, { headers });
    assert.equal(answer.headers['content-encoding'], encoding, accepted);
    assert.equal(answer.headers['content-length'], String(answer.body.length));
    assert.deepEqual(JSON.parse(decoders[encoding ?? 'identity'](answer.body).toString()), plain.json);
    tags.add(answer.headers.etag);
    const again = await user.api.get(path, {
      headers: { ...headers, 'if-none-match': answer.headers.etag ?? '' },
    });
    assert.equal(again.status, 304);
    const head = await user.api.call('HEAD', path, { headers });
    assert.equal(head.headers['content-length'], answer.headers['content-length']);
    assert.equal(head.headers.etag, answer.headers.etag);
  }
  assert.equal(tags.size, 3);
  const small = await user.api.get('/api/auth/session', { headers: { 'accept-encoding': 'gzip' } });
  assert.equal(small.headers['content-encoding'], undefined);
});

test('HEAD works wherever GET does, with the same head and no body', async () => {
  for (const path of [...paths, '/api/health', '/api/openapi.json', '/', '/api/docs', '/api/events']) {
    const head = await user.api.call('HEAD', path);
    assert.equal(head.status, 200, path);
    assert.equal(head.body.length, 0, path);
    if (path === '/api/events') continue;
    const get = await user.api.get(path);
    assert.equal(head.headers['content-length'], get.headers['content-length'], path);
    assert.equal(head.headers.etag, get.headers.etag, path);
  }
});

test('answers that are secret or errors are never stored', async () => {
  const token = await user.api.post('/api/tokens');
  assert.equal(token.headers['cache-control'], 'no-store');
  assert.equal(token.headers.etag, undefined);
  assert.equal((await user.api.get('/api/domains/999999')).headers['cache-control'], 'no-store');
});

test('pages load resources of their own origin only', async () => {
  const landing = await user.api.get('/');
  assert.match(landing.headers['content-type'] ?? '', /^text\/html/);
  const docs = await user.api.get('/api/docs');
  const links = [...`${landing.body}${docs.body}`.matchAll(/(?:href|src)="([^"]+)"/g)].map(
    ([, link]) => link ?? '',
  );
  assert.ok(links.length >= 6);
  for (const link of links) {
    assert.match(link, /^\//, 'a file of ours');
    assert.equal((await user.api.get(link)).status, 200, link);
  }
  for (const page of [landing, docs]) {
    assert.match(page.headers['content-security-policy'] ?? '', /default-src 'none'; script-src 'self'/);
    assert.doesNotMatch(page.body.toString(), /<script>|<style>| on[a-z]+=/);
  }
});
