import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { programVersion } from '#telemetry/program-version.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { runCommand } from '#test/support/program/command.ts';
import { startProgram, temporaryDir } from '#test/support/program/program.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { freePort } from '#test/support/runner/free-port.ts';

type List = {
  version: string;
  files: { name: string; language: string; url: string; size_bytes: number; sha512: string }[];
};

// Addresses in responses begin with the base URL.
const port = String(await freePort());
const program = await forAllTests(
  startProgram({ SANDPOST_HTTP_PORT: port, SANDPOST_BASE_URL: `http://127.0.0.1:${port}` }),
);
const http = new HttpClient(program);
const list: List = (await http.get('/clients/')).json;

const sha512 = (bytes: Uint8Array, form: 'hex' | 'base64' = 'hex') =>
  createHash('sha512').update(bytes).digest(form);
const npmFile = () => `sandpost-client-${programVersion}.tgz`;

test('the list names each file with its address, size and sum, and the file never changes', async () => {
  assert.equal(list.version, programVersion);
  assert.ok(list.files.some(({ language }) => language === 'javascript'));
  for (const { name, url, size_bytes, sha512: sum } of list.files) {
    assert.equal(url, `${program.baseUrl}/clients/${name}`);
    assert.ok(name.includes(programVersion), name);
    const answer = await http.get(`/clients/${name}`);
    assert.equal(answer.headers['cache-control'], 'public, max-age=31536000, immutable');
    assert.equal(answer.headers['x-content-type-options'], 'nosniff');
    assert.equal(answer.body.length, size_bytes);
    assert.equal(sha512(answer.body), sum);
    const etag = answer.headers.etag ?? '';
    const again = await http.get(`/clients/${name}`, { headers: { 'if-none-match': etag } });
    assert.equal(again.status, 304);
    const head = await http.call('HEAD', `/clients/${name}`);
    assert.deepEqual(
      [head.status, head.headers['content-length'], head.body.length],
      [200, `${size_bytes}`, 0],
    );
  }
});

test('a browser gets the list as a page with a link to each file, a program JSON', async () => {
  const page = await http.get('/clients/', { headers: { accept: 'text/html,*/*;q=0.8' } });
  assert.equal(page.headers['content-type'], 'text/html; charset=utf-8');
  for (const { name } of list.files) assert.ok(page.body.includes(`href="/clients/${name}"`), name);
  assert.match(page.headers['content-security-policy'] ?? '', /^default-src 'none'/);
  for (const accept of ['*/*', 'application/json']) {
    const answer = await http.get('/clients', { headers: { accept } });
    assert.deepEqual(answer.json, list);
    assert.match(answer.headers.vary ?? '', /Accept/);
  }
});

test('what npm and pip ask of a registry is answered by the same bytes', async () => {
  for (const name of ['@sandpost%2Fclient', '@sandpost%2fclient', '@sandpost/client']) {
    const { json } = await http.get(`/clients/npm/${name}`);
    assert.deepEqual(json['dist-tags'], { latest: programVersion });
    const { tarball, integrity } = json.versions[programVersion].dist;
    const archive = Buffer.from(await (await fetch(tarball)).arrayBuffer());
    assert.equal(integrity, `sha512-${sha512(archive, 'base64')}`);
    assert.equal(sha512(archive), list.files.find((file) => file.name === npmFile())?.sha512);
  }
});

test('addresses begin with the one that was asked, as through a mapped port', async () => {
  const at = async (path: string, host: string) => (await http.get(path, { headers: { host } })).json;
  const there = `http://127.0.0.1:49153/clients`;
  const npm = await at('/clients/npm/@sandpost%2Fclient', '127.0.0.1:49153');
  const { tarball } = npm.versions[programVersion].dist;
  assert.equal(tarball, `${there}/npm/@sandpost/client/-/client-${programVersion}.tgz`);
  const { files } = await at('/clients/', '127.0.0.1:49153');
  for (const { name, url } of files) assert.equal(url, `${there}/${name}`);
  const odd = await at('/clients/', 'a b');
  if (odd?.files) assert.equal(odd.files[0].url, list.files[0]?.url);
});

const nowhere = [
  '/clients/sandpost-client-9.9.9.tgz',
  '/clients/npm/@sandpost/client/-/client-9.9.9.tgz',
  '/clients/npm/@sandpost/client/9.9.9',
  '/clients/npm/@sandpost%2Fother',
  '/clients/python/requests/',
  '/clients/../package.json',
  '/clients/%2e%2e/package.json',
  '/clients/..%2fpackage.json',
  '/clients/..%5cpackage.json',
  '/clients/javascript/index.js',
  '/clients//etc/passwd',
  '/clients/%00',
  '/clients/%',
  '/clients/%ff%fe',
  `/clients/${'a'.repeat(8000)}`,
  '/clients/constructor',
];

test('a version or a file that there is not, and a path out of the folder, are 404', async () => {
  for (const target of nowhere) {
    const answer = await http.get(target);
    assert.equal(answer.status, 404, target);
    assert.equal(answer.json?.code, 'not_found');
    assert.ok(!answer.body.includes('devDependencies'));
  }
});

test('another method than GET and HEAD is refused, with those that there are', async () => {
  for (const [method, target] of [
    ['POST', '/clients/'],
    ['PUT', `/clients/${npmFile()}`],
    ['DELETE', '/clients/npm/@sandpost%2Fclient'],
  ] as const) {
    const answer = await http.call(method, target);
    assert.deepEqual([answer.status, answer.headers.allow], [405, 'GET, HEAD'], target);
  }
  assert.equal((await http.post('/clients/npm/-/npm/v1/security/advisories/bulk', {})).status, 404);
});

test('each answer names the version of the server', async () => {
  for (const target of [
    '/api/health',
    '/api/messages',
    '/',
    '/clients/',
    '/nowhere',
    `/clients/${npmFile()}`,
  ]) {
    const response = await http.open('GET', target);
    await buffer(response);
    assert.equal(response.headers['sandpost-version'], programVersion, target);
  }
});

test('sandpost clients writes the same files, and tells what it cannot do', async () => {
  const folder = path.join(await temporaryDir(), 'vendor/clients');
  const { code, out, err } = await runCommand(['clients', folder], {});
  assert.deepEqual([code, err], [0, '']);
  assert.deepEqual(
    out.trim().split('\n'),
    list.files.map(({ name }) => path.join(folder, name)),
  );
  const written = readdirSync(folder).map((name) => [name, sha512(readFileSync(path.join(folder, name)))]);
  assert.deepEqual(written.sort(), list.files.map(({ name, sha512: sum }) => [name, sum]).sort());
  assert.equal((await runCommand(['clients'], {})).code, 2);
  const file = path.join(await temporaryDir(), 'file');
  writeFileSync(file, '');
  const refused = await runCommand(['clients', file], {});
  assert.equal(refused.code, 1);
  assert.match(refused.err, /^sandpost: [^\n]+\n$/);
});
