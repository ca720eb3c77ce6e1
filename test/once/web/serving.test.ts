import assert from 'node:assert/strict';
import { test } from 'node:test';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { inPage } from '#test/once/web/support/browser.ts';
import { openPage } from '#test/once/web/support/web-page.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser } from '#test/support/program/user.ts';

const program = await programOfAll();
const http = new HttpClient(program);

test('every path of the page answers with it, and no other path does', async () => {
  const page = (await http.get('/')).body.toString();
  assert.match(page, /<div id="app">/);
  const paths = ['/mail', '/mail/all/7', '/mail/4/21/7/checks?q=a%20b', '/manage/domains'];
  const ofTeams = [
    '/team/7',
    '/team/7/',
    '/team/7/mail/all/3',
    '/team/7/manage/team',
    '/invitations/Zk3v_b-Q',
  ];
  for (const path of [...paths, ...ofTeams]) {
    const answer = await http.get(path);
    assert.equal(answer.status, 200, path);
    assert.equal(answer.body.toString(), page);
    assert.equal(answer.headers['cache-control'], 'no-cache');
    assert.match(answer.headers['content-security-policy'] ?? '', /^default-src 'none'; script-src 'self';/);
  }
  const others = ['/mailx', '/assets/', '/assets/../index.html', '/index.html', '/package.json'];
  const noTeams = [
    '/team',
    '/team/x/mail',
    '/team/7/elsewhere',
    '/team/7/api/docs',
    '/invitations',
    '/invitations/',
  ];
  for (const path of [...others, ...noTeams]) {
    assert.notEqual((await http.get(path)).status, 200, path);
  }
  assert.equal((await http.post('/mail', {})).status, 404);
});

test('a browser gets a page with a way back at an address that does not exist, and a program JSON', async () => {
  const browser = { headers: { accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8' } };
  const page = (await http.get('/')).body.toString();
  for (const path of ['/mial', '/mail.html', '/team/7/elsewhere', '/invitations', '/apidocs']) {
    const answer = await http.get(path, browser);
    assert.equal(answer.status, 404, path);
    assert.equal(answer.body.toString(), page);
    assert.match(answer.headers.vary ?? '', /Accept(,|$)/);
    assert.equal((await http.get(path)).headers['content-type'], 'application/problem+json');
  }
  for (const path of [
    '/api',
    '/api/',
    '/api/nothing',
    '/api/messages/x',
    '/providers',
    '/providers/nobody/x',
  ]) {
    const answer = await http.get(path, browser);
    assert.notEqual(answer.status, 200, path);
    assert.match(answer.headers['content-type'] ?? '', /json/, path);
  }
});

test('the page of an address that does not exist leads to the mail', inPage, async () => {
  const user = await createUser(program);
  await using page = await openPage(program, user, '/mial/all');
  await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
  await page.getByText('/mial/all').waitFor();
  await page.getByRole('link', { name: 'Go to your mail' }).click();
  await page.getByRole('main').getByText('Waiting for email').first().waitFor();
  await page.goBack();
  await page.getByRole('heading', { name: 'Nothing here' }).waitFor();
});

test('its files are kept for a year, come compressed, and have a hash of their content in the name', async () => {
  const page = (await http.get('/')).body.toString();
  const files = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, file]) => file ?? '');
  assert.ok(files.length >= 3, page);
  for (const file of files) {
    assert.match(file, /-[\w-]{8}\.(js|css|svg)$/);
    const plain = await http.get(file);
    assert.equal(plain.headers['cache-control'], 'public, max-age=31536000, immutable');
    const br = await http.get(file, { headers: { 'accept-encoding': 'gzip, br' } });
    const gzip = await http.get(file, { headers: { 'accept-encoding': 'gzip' } });
    assert.deepEqual([br.headers['content-encoding'], gzip.headers['content-encoding']], ['br', 'gzip']);
    assert.deepEqual(brotliDecompressSync(br.body), plain.body);
    assert.deepEqual(gunzipSync(gzip.body), plain.body);
    assert.notEqual(br.headers.etag, plain.headers.etag);
    const again = await http.get(file, { headers: { 'if-none-match': plain.headers.etag ?? '' } });
    assert.equal(again.status, 304);
  }
});

test('the page starts, its policy refuses nothing of it, and the API one call', inPage, async () => {
  await using opened = await openPage(program, null);
  await opened.getByLabel('Email').waitFor();
  // Nobody is signed in. The page requests the session once.
  const refused = opened.errors.filter((error) => error.includes('401'));
  assert.equal(refused.length, 1, refused.join('\n'));
  const unexpected = opened.errors.filter((error) => !error.includes('401'));
  assert.deepEqual(unexpected, []);
});
