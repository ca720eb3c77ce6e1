import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { openLink, pathOf, share } from '#test/support/program/shares.ts';
import { createUser, newClient, ok } from '#test/support/program/user.ts';

const { program, user } = await scene();
const stranger = await createUser(program);
const open = (path: string, options = {}) => openLink(program, path, options);
const json = async (path: string) => {
  const seen = await open(path, { accept: 'application/json' });
  assert.equal(seen.status, 200, seen.body);
  assert.equal(seen.headers['content-type'], 'application/json; charset=utf-8');
  return JSON.parse(seen.body);
};
const secretive = { 'X-Token': 'hidden-header', 'X-Tags': 'ours' };
const mail = (more = {}) => ({
  to: user.address,
  subject: 'Welcome <b>',
  text: 'Your code is 493817. https://shop.example/verify?t=1',
  html: '<p>Your code is <b>493817</b></p><a href="https://shop.example/verify?t=1" target="_top" ping="https://spy.example">Verify</a><a href="../../s">up</a><script>parent.location</script><img src="https://spy.example/x.png"><base href="https://spy.example"><meta http-equiv="refresh" content="0;url=https://spy.example"><form action="https://spy.example"><button>x</button></form>',
  attachments: [{ filename: 'a.html', content: '<script>alert(1)</script>', contentType: 'text/html' }],
  headers: secretive,
  bcc: 'boss@example.com',
  ...more,
});
const message = await deliverOne(program, mail());
const other = await deliverOne(program, mail({ subject: 'Another' }));
const foreign = await deliverOne(program, { to: stranger.address, subject: 'Foreign' });
const ofMessage = await share(user.api, { message_id: message });
const ofAccount = await share(user.api, { account_id: user.account.id });

test('the page has the message, and loads nothing', async () => {
  const { status, headers, body } = await open(ofMessage.path);
  assert.equal(status, 200);
  assert.equal(headers['referrer-policy'], 'no-referrer');
  assert.equal(headers['x-robots-tag'], 'noindex');
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['x-content-type-options'], 'nosniff');
  assert.equal(headers.etag, undefined);
  assert.match(
    headers['content-security-policy'] ?? '',
    /^default-src 'none'; style-src 'sha256-[^']+'; frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/,
  );
  for (const part of [
    'Welcome &lt;b&gt;',
    '493817',
    'shop@example.com',
    user.address,
    'https://shop.example/verify?t=1',
    'a.html',
    'Images from the web are not loaded',
  ])
    assert.ok(body.includes(part), part);
  for (const hidden of ['Welcome <b>', '<script', 'hidden-header', 'boss@example.com', '>ours<', 'src="http'])
    assert.ok(!body.includes(hidden), hidden);
});

test('images from the web are mentioned only where an email has some', async () => {
  for (const [html, isSaid] of [
    ['<p>Your code is <b>493817</b></p><a href="https://shop.example">Shop</a>', false],
    ['<img src="cid:logo"><img src="data:image/gif;base64,R0lGODlhAQABAAAAACw=">', false],
    ['<p style="background-image: url(\'//shop.example/x.png\')">Hello</p>', true],
    ['<table background = https://shop.example/x.png><tr><td>Hello</td></tr></table>', true],
  ] as const) {
    const id = await deliverOne(program, mail({ html }));
    const { body } = await open((await share(user.api, { message_id: id })).path);
    assert.equal(body.includes('Images from the web'), isSaid, html);
  }
});

test('JSON has the fields of a message that are its own', async () => {
  const shown = await json(ofMessage.path);
  assert.deepEqual([shown.id, shown.subject, shown.code], [message, 'Welcome <b>', '493817']);
  assert.deepEqual(shown.codes[0].value, '493817');
  assert.equal(shown.attachments[0].downloadUrl, `${ofMessage.url}/attachments/1`);
  for (const name of [
    'account_id',
    'mailbox_id',
    'thread_id',
    'envelope',
    'headers',
    'tags',
    'is_read',
    'bcc',
    'submission',
    'sourceUrl',
    'downloadUrl',
    'delivered_to',
    'structure',
    'audit',
  ])
    assert.ok(!(name in shown), name);
  assert.ok(!JSON.stringify(shown).includes('hidden-header'));
});

test('the HTML is the sanitised document, which only the page may frame', async () => {
  const { status, headers, body } = await open(`${ofMessage.path}/html`);
  assert.equal(status, 200);
  assert.equal(headers['cache-control'], 'no-store');
  assert.match(
    headers['content-security-policy'] ?? '',
    /^default-src 'none'; img-src data:; .*; sandbox allow-popups allow-popups-to-escape-sandbox; frame-ancestors 'self'$/,
  );
  for (const gone of ['<script', 'spy.example', '_top', 'ping', '<form', 'http-equiv="refresh"', '../'])
    assert.ok(!body.includes(gone), gone);
  assert.ok(body.includes('<meta name="referrer" content="no-referrer">'));
  assert.ok(body.includes('href="https://shop.example/verify?t=1"'));
});

test('an attachment is a download', async () => {
  const { status, headers, body } = await open(`${ofMessage.path}/attachments/1`);
  assert.deepEqual([status, body], [200, '<script>alert(1)</script>']);
  assert.equal(headers['content-disposition'], 'attachment; filename="a.html"');
  assert.equal(headers['content-security-policy'], "sandbox; default-src 'none'; frame-ancestors 'none'");
  assert.equal(headers['cache-control'], 'no-store');
});

test('the link of an account lists its messages as they come, page by page, and opens each', async () => {
  const came = await deliverOne(program, { to: user.address, subject: 'Just now' });
  const list = await json(ofAccount.path);
  assert.deepEqual([list.items[0].id, list.items[0].subject], [came, 'Just now']);
  assert.equal(list.pagination.total, list.items.length);
  const page = await open(ofAccount.path);
  assert.ok(page.body.includes(`href="${ofAccount.path}/messages/${came}"`));
  assert.match(
    page.headers['content-security-policy'] ?? '',
    /; script-src 'sha256-[^']+'; connect-src 'self'$/,
  );
  assert.equal((await json(pathOf(list.items[0]))).id, came);
  assert.ok((await open(pathOf(list.items[0]))).body.includes('Just now'));
  assert.equal((await open(`${ofAccount.path}/messages/${other}/html`)).status, 200);
  assert.deepEqual((await json(`${ofAccount.path}?page=2`)).items, []);
  assert.ok(!('account_id' in list.items[0]) && !('tags' in list.items[0]) && !('cursor' in list));
  await ok(user.api.delete(`/api/messages/${came}`));
  assert.equal((await open(pathOf(list.items[0]))).status, 404);
});

const nothing = 'x'.repeat(43);
for (const path of [
  '/s',
  '/s/',
  `/s/${nothing}`,
  '/s/short',
  `/s/${nothing}/html`,
  `/s/${nothing}x`,
  `${ofMessage.path}/`,
  `${ofMessage.path}/raw`,
  `${ofMessage.path}/attachments/2`,
  `${ofMessage.path}/attachments/-1`,
  `${ofMessage.path}/messages/${message}`,
  `${ofMessage.path}/messages/${other}`,
  `${ofMessage.path}/events`,
  `${ofMessage.path}/../../api/messages`,
  `${ofMessage.path}/%2e%2e/api/tokens`,
  `${ofMessage.path}%2fhtml`,
  `//s/${nothing}`,
  `${ofMessage.path}/html/../../${nothing}`,
  `${ofMessage.path.toUpperCase()}`,
  `${ofMessage.path}\0`.replace('\0', '%00'),
  `${ofAccount.path}/messages/${foreign}`,
  `${ofAccount.path}/messages/999999`,
  `${ofAccount.path}/messages/1e3`,
  `${ofAccount.path}/messages/99999999999999999999`,
  `${ofAccount.path}/html`,
  `${ofAccount.path}/attachments/1`,
  `${ofAccount.path}?page=0`,
  `${ofAccount.path}?page=41`,
  `${ofAccount.path}?page=x`,
])
  test(`${path.replaceAll(/[\w-]{43}/g, '…')} shows nothing`, async () => {
    const { status, body, headers } = await open(path, { accept: 'application/json' });
    assert.ok([401, 404].includes(status), `${status} ${body}`);
    assert.ok(!body.includes('Welcome') && !body.includes('Foreign'), body);
    if (path.startsWith('/s/') && status === 404 && !path.includes('..'))
      assert.equal(headers['cache-control'], 'no-store');
  });

test('a secret is no credential, and takes no other method', async () => {
  const secret = ofMessage.path.slice('/s/'.length);
  for (const headers of [
    { 'x-api-key': secret },
    { cookie: `sandpost_session=${secret}` },
    { authorization: `Bearer ${secret}` },
  ])
    for (const path of ['/api/messages', '/api/events', '/api/tokens', '/api/refusals', '/api/shares'])
      assert.equal((await fetch(program.baseUrl + path, { headers })).status, 401, path);
  for (const method of ['POST', 'DELETE', 'PUT', 'PATCH', 'OPTIONS']) {
    const { status, headers } = await open(ofMessage.path, { method });
    assert.deepEqual([status, headers.allow], [405, 'GET, HEAD'], method);
    assert.equal(headers['access-control-allow-origin'], undefined);
  }
  const whole = await open(ofMessage.path);
  const head = await open(ofMessage.path, { method: 'HEAD' });
  assert.deepEqual(
    [head.status, head.body, head.headers['content-length']],
    [200, '', whole.headers['content-length']],
  );
  assert.equal(head.headers['cache-control'], 'no-store');
});

test('wrong, ended and revoked secrets have one answer, and guesses are bounded for their client alone', async () => {
  const gone = await deliverOne(program, { to: user.address });
  const [ended, revoked] = [
    await share(user.api, { message_id: gone }),
    await share(user.api, { message_id: message }),
  ];
  await ok(user.api.delete(`/api/messages/${gone}`));
  await ok(user.api.delete(`/api/shares/${revoked.id}`));
  const from = newClient();
  const answers = [];
  for (const path of [
    `/s/${nothing}`,
    ended.path,
    revoked.path,
    '/s/short',
    `${ofAccount.path}/messages/${foreign}`,
  ]) {
    const { status, body, headers } = await open(path, { accept: 'application/json', from });
    const { request_id: _, ...problem } = JSON.parse(body);
    answers.push({ status, problem, names: Object.keys(headers).sort() });
  }
  for (const answer of answers) assert.deepEqual(answer, answers[0]);
  for (const secret of [nothing, ended.path.slice(3), revoked.path.slice(3)]) {
    const { status, body } = await open(`/s/${secret}`, { from: newClient() });
    assert.equal(status, 404);
    assert.match(body, /This link is invalid, has expired or was revoked\./);
    assert.ok(body.includes('--accent'), 'the page has the colours of others');
  }
  assert.equal(answers[0]?.status, 404);
  const guesses = await Promise.all(Array.from({ length: 100 }, () => open(`/s/${nothing}`, { from })));
  const looked = guesses.filter(({ status }) => status === 404).length;
  assert.equal(looked, limits.access.failedSubmitters - answers.length);
  const refused = guesses.find(({ status }) => status === 429);
  assert.ok(Number(refused?.headers['retry-after']) >= 1);
  assert.equal((await open(ofMessage.path, { from })).status, 200);
  assert.equal((await open(`/s/${nothing}`)).status, 404);
});

test('requests by a link are bounded for each client', async () => {
  const { path } = await share(user.api, { message_id: message });
  const from = newClient();
  const all = await Promise.all(
    Array.from({ length: limits.shares.requests + 1 }, () => open(path, { from, method: 'HEAD' })),
  );
  assert.equal(all.filter(({ status }) => status === 429).length, 1);
  assert.equal((await open(path)).status, 200);
});

test('a mail of long texts, many links and people makes a page of bounded length', async () => {
  const link = (n: number) => `https://shop.example/${n} `;
  const text = Array.from({ length: 500 }, (_, n) => link(n)).join('') + '<&">'.repeat(100_000);
  const to = Array.from({ length: 90 }, (_, n) => `p${n}@${user.domain.domain}`).join(', ');
  const raw = `From: a@example.com\r\nTo: ${to}\r\nSubject: Long\r\n\r\n${text.replace(/.{900}/g, '$&\r\n')}`;
  const { path } = await share(user.api, {
    message_id: await deliverOne(program, { to: user.address, raw }),
  });
  const { body } = await open(path);
  assert.ok(body.length < 700_000, `${body.length}`);
  assert.ok(body.includes('and 40 more') && body.includes('The text is cut'));
});
