import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { inPage } from '#test/once/web/support/browser.ts';
import { liveRow, openPage, rowOf } from '#test/once/web/support/web-page.ts';
import type { Json } from '#test/support/clients/http.ts';
import { type IdentityProvider, startIdentityProvider } from '#test/support/program/identity-provider.ts';
import { type PathProxy, startPathProxy } from '#test/support/program/path-proxy.ts';
import { type Program, startProgram } from '#test/support/program/program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';

// `/mail` is also a path of the page.
const basePath = '/mail';
let identity: IdentityProvider;
let proxy: PathProxy;
let program: Program;
let user: User;
before(async () => {
  identity = await startIdentityProvider({ basePath });
  proxy = await startPathProxy(basePath, identity.httpPort);
  program = await startProgram({ ...identity.settings, SANDPOST_HTTP_PORT: '0' });
  proxy.target = program.httpPort;
  user = await createUser(program);
});
after(async () => {
  await program.stop();
  await proxy[Symbol.asyncDispose]();
  await identity.close();
});

const ways = [
  ['removes', true],
  ['leaves', false],
] as const;

/** Requests an address below the proxy with the user's key. */
const ask = (path: string, init: RequestInit = {}) =>
  fetch(proxy.baseUrl + path, { ...init, headers: { 'x-api-key': user.key, ...init.headers } });
const json = async (path: string, init?: RequestInit): Promise<Json> => (await ask(path, init)).json();

/** Expects that an address begins with the base URL, and that the proxy answers there. */
async function isServed(address: string, headers: Record<string, string> = {}) {
  assert.ok(address.startsWith(`${proxy.baseUrl}/`), address);
  const answer = await fetch(address, { headers });
  assert.equal(answer.status, 200, address);
  return answer;
}

for (const [does, strips] of ways) {
  test(`a proxy that ${does} the path: the page`, inPage, async () => {
    Object.assign(proxy, { strips, strays: [] });
    await deliverOne(program, { to: user.address, subject: `First ${does}` });
    await using page = await openPage(proxy, user, `${basePath}/`);
    page.setDefaultTimeout(15000);
    await liveRow(page, `First ${does}`);
    const id = await deliverOne(program, { to: user.address, subject: `Live ${does}` });
    await rowOf(page, `Live ${does}`).click();
    await page.getByRole('heading', { name: `Live ${does}` }).waitFor();
    const opened = new URL(page.url()).pathname;
    assert.match(opened, new RegExp(`^/mail/mail/.*/${id}$|^/mail/mail/all/${id}$`));
    await page.reload();
    await page.getByRole('heading', { name: `Live ${does}` }).waitFor();
    await page.goBack();
    await page.goto(`${proxy.baseUrl}/manage/connect`);
    await page.getByText(`${proxy.baseUrl}/api/`).first().waitFor({ state: 'attached' });
    await page.goto(`${proxy.baseUrl}/manage/failures`);
    await page.getByRole('heading', { name: 'Failures' }).first().waitFor();
    await page.goto(`${proxy.baseUrl}/nowhere`);
    await page.getByRole('link', { name: /mail/i }).first().click();
    await rowOf(page, `Live ${does}`).waitFor();
    await page.goto(`${proxy.baseUrl}/api/docs`);
    await page.getByRole('heading', { name: /Sandpost API/ }).waitFor();
    await page.getByRole('link', { name: 'openapi.json' }).waitFor();
    assert.deepEqual(proxy.strays, [], 'everything was asked for below the path');
    const unexpected = page.errors.filter((error) => !error.includes('404'));
    assert.deepEqual(unexpected, []);
  });

  test(`a proxy that ${does} the path: signing in at the provider, and out`, inPage, async () => {
    Object.assign(proxy, { strips, strays: [] });
    identity.account = { sub: does, email: `${does}@corp.test`, email_verified: true };
    await using page = await openPage(proxy, null, `${basePath}/manage/you`);
    await page.getByRole('link', { name: /^Sign in with/ }).click();
    await page.getByRole('link', { name: 'Continue' }).click();
    await page.getByText(`Signed in as ${does}@corp.test`).waitFor();
    assert.equal(new URL(page.url()).pathname, `${basePath}/manage/you`);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByRole('link', { name: /^Sign in with/ }).waitFor();
    assert.equal(new URL(page.url()).pathname, `${basePath}/`);
    assert.deepEqual(proxy.strays, []);
  });

  test(`a proxy that ${does} the path: programs`, async () => {
    Object.assign(proxy, { strips, strays: [] });
    const document = await json('/api/openapi.json');
    assert.deepEqual(document.servers, [{ url: proxy.baseUrl }]);
    const id = await deliverOne(program, { to: user.address, subject: 'For programs' });
    const message = await ok(user.api.get(`/api/messages/${id}`));
    for (const address of [message.downloadUrl, message.sourceUrl])
      await isServed(address, { 'x-api-key': user.key });

    const { files } = await json('/clients/', { headers: { accept: 'application/json' } });
    for (const { url } of files) await isServed(url);
    const packument = await json('/clients/npm/@sandpost%2fclient');
    const [version]: Json[] = Object.values(packument.versions);
    await isServed(version.dist.tarball);
    const index = await isServed(`${proxy.baseUrl}/clients/python/sandpost/`);
    const [, wheel = ''] = /href="([^"#]+)/.exec(await index.text()) ?? [];
    await isServed(new URL(wheel, index.url).href);
    const list = await ask('/clients', { headers: { accept: 'text/html' } });
    const [, file = ''] = /href="([^"]+\.whl)"/.exec(await list.text()) ?? [];
    await isServed(new URL(file, list.url).href);
    assert.ok((await (await ask('/llms.txt')).text()).includes(`${proxy.baseUrl}/mcp`));

    const tools = await ask('/mcp', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${user.key}`,
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    assert.equal(tools.status, 200);
    const sent = await ask('/providers/sendgrid/v3/mail/send', {
      method: 'POST',
      headers: { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({
        personalizations: [{ to: [{ email: user.address }] }],
        from: { email: 'shop@example.com' },
        subject: 'By a provider',
        content: [{ type: 'text/plain', value: 'x' }],
      }),
    });
    assert.equal(sent.status, 202);
    const invitation = await json(`/api/teams/${(await json('/api/teams')).items[0].id}/invitations`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ role: 'member' }),
    });
    const page = await (await isServed(invitation.url)).text();
    const [, script = ''] = /src="([^"]+)"/.exec(page) ?? [];
    await isServed(new URL(script, proxy.baseUrl).href);
    assert.equal((await ask('/readyz')).status, 200);
    const stream = await ask('/api/events?once=1');
    assert.match((await stream.text()).trim(), /event: new-message/);
    assert.equal((await ask('/api/nothing')).status, 404);
    assert.deepEqual(proxy.strays, []);
  });
}
