import assert from 'node:assert/strict';
import { test } from 'node:test';
import { maildevRoutes } from '#api/maildev/routes.ts';
import { mailhogRoutes } from '#api/mailhog/routes.ts';
import { mailpitRoutes } from '#api/mailpit/routes.ts';
import { mcpRoutes } from '#api/mcp/routes.ts';
import { routes } from '#api/routes/index.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { McpWriter } from '#test/support/clients/mcp.ts';
import { authPlain, connectFromNewHost } from '#test/support/clients/smtp-auth.ts';
import { accountKeys, idsOf } from '#test/support/program/account-keys.ts';
import { createTeam } from '#test/support/program/team.ts';
import { ok } from '#test/support/program/user.ts';

const world = await accountKeys();
const { program, user, stranger, own, also, foreign } = world;
const { ownMail, foreignMail, one, makeAccount, keyFor, mailOf } = world;

test('tools of MCP see its accounts alone, and make and change nothing', async () => {
  const mcp = new McpWriter(program, { authorization: `Bearer ${one.key}` });
  assert.deepEqual(await mcp.tools(), [
    'wait_for_mail',
    'search_mail',
    'read_mail',
    'get_attachment',
    'check_mail',
    'compare_mail',
  ]);
  const found = await mcp.call('search_mail');
  assert.ok(found.messages.some(({ id }: { id: number }) => id === ownMail));
  assert.equal((await mcp.call('search_mail', { q: 'tag:hidden' })).total, 0);
  assert.equal((await mcp.call('read_mail', { message_id: ownMail, source: true })).id, ownMail);
  assert.ok((await mcp.call('check_mail', { message_id: ownMail })).complete);
  const side = { message_id: foreignMail };
  for (const [tool, given] of [
    ['read_mail', { message_id: foreignMail, source: true }],
    ['get_attachment', { message_id: foreignMail, attachment_id: 1 }],
    ['check_mail', { message_id: foreignMail }],
    ['compare_mail', { left: { message_id: ownMail }, right: side }],
    ['compare_mail', { left: side, right: side }],
    ['wait_for_mail', { after: foreignMail, within: 0 }],
  ] as const)
    assert.ok([404, 422].includes((await mcp.refusal(tool, given)).status), tool);
  const waited = await mcp.call('wait_for_mail', { address: foreign.address, within: 1 });
  assert.equal(waited.met, false);
  for (const { id } of waited.near_misses) assert.notEqual(id, foreignMail);
  for (const [tool, given] of [
    ['create_address', {}],
    ['delete_mail', { message_id: ownMail }],
    ['simulate_failure', { stage: 'rcpt', action: 'drop' }],
  ] as const)
    assert.equal((await mcp.refusal(tool, given)).code, 'insufficient_scope', tool);
});

/** Reads a path of another catcher's API, which the OpenAPI document lacks. */
async function catcher(path: string) {
  const headers = { 'x-api-key': one.key };
  const response = await fetch(`${program.baseUrl}${path}`, { headers, redirect: 'manual' });
  const text = await response.text();
  return {
    status: response.status,
    json: text.startsWith('{') || text.startsWith('[') ? JSON.parse(text) : null,
  };
}

test('the API of Mailpit has its accounts alone, and no tags', async () => {
  const { messages, total, unread, tags } = (await catcher('/api/v1/messages')).json;
  const { pagination } = await ok(one.api.get('/api/messages'));
  assert.equal(total, pagination.total);
  assert.ok(unread <= total);
  assert.ok(messages.every(({ ID }: { ID: string }) => ID !== String(foreignMail)));
  assert.deepEqual(tags, []);
  assert.equal((await catcher('/api/v1/search?query=tag:hidden')).json.messages_count, 0);
  assert.deepEqual((await catcher('/api/v1/tags')).json, []);
  assert.deepEqual((await ok(one.api.get('/api/tags'))).items, []);
  const info = (await catcher('/api/v1/info')).json;
  assert.deepEqual([info.Messages, info.Tags], [total, {}]);
  const message = (id: number) => `/api/v1/message/${id}`;
  for (const part of ['', '/headers', '/raw', '/part/2', '/part/2/thumb', '/html-check', '/sa-check'])
    assert.equal((await catcher(`${message(foreignMail)}${part}`)).status, 404, part);
  for (const path of [`/view/${foreignMail}.html`, `/view/${foreignMail}.txt`, `/view/${foreignMail}`])
    assert.equal((await catcher(path)).status, 404, path);
  assert.equal((await catcher(message(ownMail))).json.ID, String(ownMail));
  assert.equal((await ok(user.api.get(`/api/messages/${ownMail}`))).is_read, false);
  const newest = await mailOf(foreign.address);
  assert.notEqual((await catcher('/api/v1/message/latest')).json.ID, String(newest));
});

test('the APIs of MailHog and MailDev have its accounts alone', async () => {
  const { items, total } = (await catcher('/api/v2/messages')).json;
  const { pagination } = await ok(one.api.get('/api/messages'));
  assert.deepEqual([items.length, total], [pagination.total, pagination.total]);
  const secret = `/api/v2/search?kind=to&query=${foreign.address}`;
  assert.equal((await catcher(secret)).json.total, 0);
  const mails = (await catcher('/email')).json;
  assert.deepEqual(
    mails.map(({ id }: { id: string }) => id).sort(),
    items.map(({ ID }: { ID: string }) => ID).sort(),
  );
  for (const path of ['/api/v1/messages/', '/email/']) {
    assert.equal((await catcher(`${path}${ownMail}`)).status, 200, path);
    for (const part of [
      '',
      '/download',
      ...(path === '/email/' ? ['/html', '/source', '/attachment/a.txt'] : []),
    ])
      assert.equal((await catcher(`${path}${foreignMail}${part}`)).status, 404, path + part);
  }
  assert.equal((await ok(user.api.get(`/api/messages/${ownMail}`))).is_read, false);
});

/** Operations that a limited key may call. Each reads only what `withinAccounts` allows. */
const allowed = [
  ...[
    'listAccounts',
    'getAccount',
    'listMailboxes',
    'getMailbox',
    'listAllMessages',
    'listMessages',
    'getMessage',
    'getRawMessage',
    'getSession',
  ],
  ...[
    'downloadMessage',
    'getMessageSource',
    'getAttachment',
    'getMessageHtml',
    'checkMessage',
    'authenticateMessage',
  ],
  ...['assertMail', 'compareMails', 'streamEvents', 'listTags', 'callMcp'],
  ...['info', 'webui', 'messages', 'search', 'tags', 'chaos'].map((path) => `mailpit get /api/v1/${path}`),
  ...[
    '',
    '/headers',
    '/raw',
    '/part/{part}',
    '/part/{part}/thumb',
    '/html-check',
    '/sa-check',
    '/rspamd-check',
  ].map((part) => `mailpit get /api/v1/message/{id}${part}`),
  'mailpit get /view/{file}',
  ...['/api/v2/messages', '/api/v2/search', '/api/v1/messages/{id}', '/api/v1/messages/{id}/download'].map(
    (path) => `mailhog get ${path}`,
  ),
  ...['', '/{id}', '/{id}/html', '/{id}/source', '/{id}/download', '/{id}/attachment/{filename}'].map(
    (path) => `maildev get /email${path}`,
  ),
];

test('every other operation is refused', async () => {
  const catchers = [...mailpitRoutes, ...mailhogRoutes, ...maildevRoutes];
  const known = [...routes, ...mcpRoutes, ...catchers].filter(({ access }) => access !== 'public');
  const may = known.filter(({ permission }) => permission === 'mail').map(({ operationId }) => operationId);
  assert.deepEqual(may.sort(), allowed.toSorted());
  const ids: Record<string, number> = {
    ...{
      team_id: user.id,
      user_id: user.id,
      domain_id: user.domain.id,
      account_id: own.id,
      mailbox_id: own.inbox,
    },
    ...{ message_id: ownMail, token_id: one.id },
  };
  const rest = known.filter(({ permission }) => permission !== 'mail');
  for (const { method, path, dialect } of rest) {
    if (dialect !== undefined && path.startsWith('/providers/')) continue;
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name] ?? 1));
    const response = await one.api.open(method.toUpperCase(), filled, method === 'get' ? {} : { json: {} });
    response.resume();
    assert.equal(response.statusCode, 403, `${method} ${path}`);
  }
});

test('a session that it begins is limited as well, and names no other team', async () => {
  const signedIn = await new HttpClient(program).post('/api/auth/login', { api_key: one.key });
  const cookie = (signedIn.headers['set-cookie'] ?? '').split(';')[0] ?? '';
  const session = new HttpClient(program, { cookie });
  assert.equal((await session.get(`/api/messages/${foreignMail}`)).status, 404);
  assert.equal((await session.get(`/api/messages/${ownMail}`)).status, 200);
  assert.equal((await session.get('/api/domains')).status, 403);
  assert.equal((await ok(session.get('/api/auth/session'))).email, user.email);
  const team = await createTeam(program, user, 'elsewhere');
  for (const api of [session, one.api]) {
    for (const path of ['/api/messages', '/api/events?once=1', `/api/messages/${ownMail}`]) {
      assert.equal((await api.get(path, { headers: { 'x-team-id': String(team.id) } })).status, 404, path);
      assert.equal(
        (await api.get(path, { headers: { 'x-team-id': String(stranger.id) } })).status,
        404,
        path,
      );
    }
    assert.equal((await api.get('/api/messages', { headers: { 'x-team-id': String(user.id) } })).status, 200);
  }
  assert.equal((await user.api.get(`/api/messages/${foreignMail}`, { headers: { cookie } })).status, 200);
});

test('it sends nothing', async () => {
  const client = await connectFromNewHost(program.smtpPort);
  const reply = await client.command(authPlain('apikey', one.key));
  client.destroy();
  assert.equal(reply.trimEnd(), "535 5.7.8 A key limited to accounts can't do this");
  const { status } = await fetch(`${program.baseUrl}/providers/sendgrid/v3/mail/send`, {
    method: 'POST',
    headers: { authorization: `Bearer ${one.key}`, 'content-type': 'application/json' },
    body: '{}',
  });
  assert.equal(status, 403);
  const byAccount = await one.api.post(`/api/accounts/${own.id}/messages/send`, {
    to: own.address,
    subject: 'x',
  });
  assert.equal(byAccount.status, 403);
  const bulk = await one.api.post('/api/messages/bulk', { ids: [foreignMail], action: 'delete' });
  assert.equal(bulk.status, 403);
});

test('it sees nothing of an account that was deleted, or was made again with the same address', async () => {
  const brief = await makeAccount('brief');
  const [alone, beside] = [await keyFor(brief.id), await keyFor(brief.id, also.id)];
  const old = await mailOf(brief.address);
  assert.equal((await alone.api.get(`/api/messages/${old}`)).status, 200);
  await ok(user.api.delete(`/api/accounts/${brief.id}`));
  const again = await makeAccount('brief');
  const fresh = await mailOf(again.address);
  for (const { api } of [alone, beside]) {
    for (const id of [old, fresh]) assert.equal((await api.get(`/api/messages/${id}`)).status, 404);
    const seen = idsOf(await ok(api.get(`/api/messages?address=${brief.address}`)));
    assert.deepEqual(seen, []);
    assert.equal((await api.get(`/api/accounts/${again.id}`)).status, 404);
  }
  assert.deepEqual(idsOf(await ok(alone.api.get('/api/messages'))), []);
});

test('a domain that moved away takes its mail along', async () => {
  const team = await createTeam(program, user, 'target');
  const domain = await ok(user.api.post('/api/domains', { domain: 'moving.test', mx_verified: true }));
  const account = await ok(user.api.post('/api/accounts', { address: 'qa@moving.test' }));
  const id = await mailOf('qa@moving.test');
  const { api } = await keyFor(account.id);
  assert.equal((await api.get(`/api/messages/${id}`)).status, 200);
  const moved = { headers: { cookie: user.cookie } };
  await ok(new HttpClient(program).post(`/api/domains/${domain.id}/move`, { team_id: team.id }, moved));
  assert.equal((await api.get(`/api/messages/${id}`)).status, 404);
  assert.deepEqual(idsOf(await ok(api.get('/api/messages'))), []);
  assert.equal((await api.get(`/api/accounts/${account.id}`)).status, 404);
});
