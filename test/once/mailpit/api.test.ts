import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mailpitClient } from '#test/support/clients/mailpit.ts';
import { authPlain } from '#test/support/clients/smtp-auth.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const { program, user } = await scene();
const ask = mailpitClient(program, { 'x-api-key': user.key });
const basic = (name: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${password}`).toString('base64')}`,
});
const deliver = (mail: object = {}) => deliverOne(program, { to: user.address, ...mail });
const subjects = async (query: string) => {
  const found = await ask('GET', `/api/v1/search?query=${encodeURIComponent(query)}`);
  assert.equal(found.status, 200, found.text);
  return found.json.messages.map(({ Subject }: { Subject: string }) => Subject);
};

test('a list and a message have the fields of Mailpit, and a message is read once it was asked for', async () => {
  const id = await deliver({
    from: 'Shop <shop@example.com>',
    cc: 'Cc <cc@example.org>',
    subject: 'Fields',
    text: 'Hello\nthere',
    html: '<p>Hello</p>',
    attachments: [{ filename: 'a.txt', content: 'abc' }],
    headers: { 'X-Tags': 'b,a' },
  });
  const { json: list } = await ask('GET', '/api/v1/messages?limit=1');
  const [summary] = list.messages;
  assert.equal(summary.ID, String(id));
  assert.deepEqual(summary.From, { Name: 'Shop', Address: 'shop@example.com' });
  assert.deepEqual(summary.Cc, [{ Name: 'Cc', Address: 'cc@example.org' }]);
  assert.deepEqual([summary.Read, summary.Attachments, summary.Tags], [false, 1, ['a', 'b']]);
  assert.ok(list.unread >= 1 && list.total >= 1 && list.messages_count === list.total);
  const { json: message } = await ask('GET', '/api/v1/message/latest');
  assert.deepEqual([message.ID, message.Text, message.Attachments.length], [String(id), 'Hello\r\nthere', 1]);
  assert.equal(message.Attachments[0].PartID, '2');
  assert.equal((await ask('GET', `/api/v1/message/${id}/part/2`)).text, 'abc');
  assert.equal((await ask('GET', '/api/v1/messages?limit=1')).json.messages[0].Read, true);
  const { json: headers } = await ask('GET', `/api/v1/message/${id}/headers`);
  assert.deepEqual(headers['X-Tags'], ['b,a']);
  assert.match((await ask('GET', `/api/v1/message/${id}/raw`)).text, /^Subject: Fields\r$/m);
  assert.match((await ask('GET', `/view/${id}.html`)).text, /<p>Hello<\/p>/);
  assert.equal((await ask('GET', '/view/latest.txt')).text, 'Hello\r\nthere');
  const place = `/mail/${user.account.id}/${user.inbox}/${id}`;
  assert.equal((await ask('GET', '/view/latest')).headers.location, place);
});

test('a list begins at any message, and takes a limit beyond a page of ours', async () => {
  const ids = [];
  for (const subject of ['one', 'two', 'three']) ids.unshift(String(await deliver({ subject })));
  const idsOf = async (query: string) =>
    (await ask('GET', `/api/v1/messages?${query}`)).json.messages.map(({ ID }: { ID: string }) => ID);
  assert.deepEqual(await idsOf('start=1&limit=2'), ids.slice(1));
  assert.deepEqual(await idsOf('start=2&limit=1'), ids.slice(2));
  assert.deepEqual((await idsOf('limit=100000')).slice(0, 3), ids);
  assert.deepEqual((await idsOf('limit=0')).slice(0, 3), ids);
  assert.deepEqual((await idsOf('limit=x&start=-1')).slice(0, 3), ids);
  assert.deepEqual(await idsOf('start=100000'), []);
});

test('the search of Mailpit is translated, and conditions without a counterpart have a sentence', async () => {
  const id = await deliver({
    subject: 'Order 4711',
    text: 'On its way',
    from: 'ship@example.net',
    headers: { 'X-Tags': 'way' },
  });
  for (const query of [
    'from:ship@',
    '"its way"',
    'subject:4711 -is:read',
    'tag:way',
    `!subject:zzz 4711`,
    'after:2020-01-01 4711',
    'addressed:ship@',
  ])
    assert.ok((await subjects(query)).includes('Order 4711'), query);
  for (const query of [
    '-from:ship@',
    '"way its"',
    'is:read 4711',
    'before:2020-01-01',
    'has:attachment 4711',
  ])
    assert.ok(!(await subjects(query)).includes('Order 4711'), query);
  const found = await ask('GET', '/api/v1/message/latest?query=subject:4711');
  assert.equal(found.json.ID, String(id));
  for (const [query, why] of [
    ['is:tagged', /does not support that condition/],
    ['before:yesterday', /must be a date/],
    ['', /no search query/],
    [Array.from({ length: 60 }, (_, word) => `w${word}`).join(' '), /at most 50 terms/],
  ] as const) {
    const refused = await ask('GET', `/api/v1/search?query=${encodeURIComponent(query)}`);
    assert.equal(refused.status, 400);
    assert.match(refused.type, /^text\/plain/);
    assert.match(refused.text, why);
  }
});

test('changes: read state, tags, and deletion by ids, by a search, and of all', async () => {
  const other = await createUser(program);
  const own = mailpitClient(program, { 'x-api-key': other.key });
  const give = (subject: string) => deliverOne(program, { to: other.address, subject });
  const [one, two, three] = [await give('one'), await give('two'), await give('three')].map(String);
  const states = async () =>
    (await own('GET', '/api/v1/messages')).json.messages.map(({ Read }: { Read: boolean }) => Read);
  const done = async (method: string, path: string, json?: unknown) =>
    assert.equal((await own(method, path, json === undefined ? {} : { json })).text, 'ok');
  await done('PUT', '/api/v1/messages', { IDs: [one, 'nope', '9999'], Read: true });
  assert.deepEqual(await states(), [false, false, true]);
  await done('PUT', '/api/v1/messages', { search: 'subject:two', read: true });
  assert.deepEqual(await states(), [false, true, true]);
  await done('PUT', '/api/v1/messages', { Read: false });
  assert.deepEqual(await states(), [false, false, false]);
  await done('PUT', '/api/v1/tags', { IDs: [one, two], Tags: ['smoke', 'Nightly run'] });
  assert.deepEqual((await own('GET', '/api/v1/tags')).json, ['Nightly run', 'smoke']);
  await done('PUT', '/api/v1/tags/smoke', { Name: 'fire' });
  await done('DELETE', '/api/v1/tags/Nightly%20run');
  assert.deepEqual((await own('GET', `/api/v1/message/${one}`)).json.Tags, ['fire']);
  assert.deepEqual((await own('GET', '/api/v1/info')).json.Tags, { fire: 2 });
  await done('PUT', '/api/v1/tags/fire', { Name: 'Fire' });
  assert.deepEqual((await own('GET', '/api/v1/tags')).json, ['Fire']);
  // A message with the maximum number of tags keeps that number.
  const most = Array.from({ length: 20 }, (_, at) => `t${at}`);
  await done('PUT', '/api/v1/tags', { IDs: [two], Tags: most });
  await done('PUT', '/api/v1/tags/t3', { Name: 'renamed' });
  const renamed = most.map((tag) => (tag === 't3' ? 'renamed' : tag)).toSorted();
  assert.deepEqual((await own('GET', `/api/v1/message/${two}`)).json.Tags.toSorted(), renamed);
  assert.equal((await own('DELETE', '/api/v1/tags/none')).status, 400);
  await done('DELETE', '/api/v1/messages', { IDs: [three] });
  await done('DELETE', '/api/v1/search?query=subject%3Atwo');
  assert.deepEqual((await own('GET', '/api/v1/messages')).json.messages_count, 1);
  assert.equal((await own('DELETE', '/api/v1/search?query=%22%22')).status, 400);
  // As curl -d sends it.
  const form = { 'content-type': 'application/x-www-form-urlencoded' };
  const again = await own('PUT', '/api/v1/messages', { body: '{"Read":true}', headers: form });
  assert.equal(again.text, 'ok');
  await done('DELETE', '/api/v1/messages');
  assert.deepEqual((await own('GET', '/api/v1/messages')).json.messages, []);
  assert.equal((await own('GET', '/api/v1/message/latest')).text, 'Message not found');
});

test('a mail is sent as by Mailpit, and its answer has the id', async () => {
  const mail = {
    From: { Email: 'shop@example.com', Name: 'Shop' },
    to: [{ Email: user.address, Name: 'QA' }],
    Subject: 'Sent',
    HTML: '<p>Hi</p>',
    Tags: ['sent'],
    Headers: { 'X-Run': '7' },
    Attachments: [
      { Content: `data:text/plain;base64,${Buffer.from('abc').toString('base64')}`, Filename: 'a.txt' },
    ],
  };
  const sent = await ask('POST', '/api/v1/send', { json: mail });
  assert.equal(sent.status, 200, sent.text);
  const { json } = await ask('GET', `/api/v1/message/${sent.json.ID}`);
  assert.deepEqual([json.Subject, json.Tags, json.Attachments[0].FileName], ['Sent', ['sent'], 'a.txt']);
  const refused = await ask('POST', '/api/v1/send', { json: { ...mail, to: [{ Email: 'nope' }] } });
  assert.equal(refused.status, 400);
  assert.match(refused.json.Error, /nope/);
});

test('checks are answered, and what has no counterpart is 501 with our way', async () => {
  const id = await deliver({
    subject: 'Check',
    html: '<p style="display:flex">x</p><a href="https://shop.example/">y</a>',
  });
  const { json } = await ask('GET', `/api/v1/message/${id}/html-check`);
  assert.ok(
    json.Total.Tests > 0 && json.Warnings.some(({ Slug }: { Slug: string }) => Slug === 'css-display-flex'),
  );
  for (const [method, path, way] of [
    ['GET', '/api/v1/chaos', /api\/failures/],
    ['PUT', '/api/v1/chaos', /api\/failures/],
    ['POST', `/api/v1/message/${id}/release`, /does not send mail to external addresses/],
    ['GET', `/api/v1/message/${id}/sa-check`, /SANDPOST_SPAM_URL/],
  ] as const) {
    const answer = await ask(method, path);
    assert.equal(answer.status, 501);
    assert.match(answer.text, way);
  }
  const { json: links } = await ask('GET', `/api/v1/message/${id}/link-check`);
  const [{ URL: url, StatusCode: code, Status: why }] = links.Links;
  assert.deepEqual([links.Errors, url, code], [1, 'https://shop.example/', 0]);
  assert.match(why, /^Not requested: SANDPOST_OUTBOUND/);
  assert.equal((await ask('GET', '/api/v1/webui')).json.ChaosEnabled, false);
  for (const path of ['/livez', '/readyz']) assert.equal((await ask('GET', path)).status, 200);
});

test('headers name the sender of the envelope and its blind recipients, as far as the mail does not', async () => {
  const other = await ok(user.api.post('/api/accounts', { address: `blind@${user.domain.domain}` }));
  const raw = `To: ${user.address}\r\nReturn-Path: <x@example.com>\r\nSubject: s\r\n\r\nx\r\n`;
  for (const [id, from, blind] of [
    [await deliver({ to: [user.address, other.address], raw }), 'shop@example.com', [other.address]],
    [await deliver({ from: 'x@example.com', raw }), 'x@example.com', undefined],
  ] as const) {
    const { json } = await ask('GET', `/api/v1/message/${id}/headers`);
    assert.deepEqual([json['Return-Path'], json.Bcc], [[`<${from}>`], blind]);
  }
});

test('Username is the user name of the client, by SMTP and by /send, and no secret', async () => {
  const mail = { From: { Email: 'a@example.com' }, To: [{ Email: user.address }], Text: 'x' };
  for (const [given, shown] of [
    ['ci', 'ci'],
    ['n'.repeat(300), 'n'.repeat(256)],
    [`key ${user.key}`, 'tests'],
  ] as const) {
    const { json } = await mailpitClient(program)('POST', '/api/v1/send', {
      json: mail,
      headers: basic(given, user.key),
    });
    const client = await SmtpClient.open(program.smtpPort);
    assert.match(await client.command(authPlain(given, user.key)), /^235/);
    const reply = await client.send('a@example.com', [user.address], 'Subject: s\r\n\r\nx\r\n');
    await client.quit();
    for (const id of [json.ID, /stored as (\d+)/.exec(reply)?.[1]])
      assert.equal((await ask('GET', `/api/v1/message/${id}`)).json.Username, shown);
  }
});

test('a key counts in X-API-KEY and as the password of HTTP Basic, on these paths alone', async () => {
  const anybody = mailpitClient(program);
  const refused = await anybody('GET', '/api/v1/messages');
  assert.equal(refused.status, 401);
  assert.match(String(refused.headers['www-authenticate']), /^Basic /);
  assert.equal((await anybody('GET', '/api/v1/messages', { headers: basic('any', user.key) })).status, 200);
  assert.equal((await anybody('GET', '/api/v1/messages', { headers: basic(user.key, '') })).status, 401);
  assert.equal((await anybody('GET', '/api/v1/messages', { headers: basic('any', 'sp_wrong') })).status, 401);
  assert.equal((await anybody('GET', '/api/messages', { headers: basic('any', user.key) })).status, 401);
  assert.equal((await anybody('GET', '/api/v1/messages', { headers: { cookie: user.cookie } })).status, 401);
});

test('a browser sends the password of HTTP Basic for no page of another site', async () => {
  const anybody = mailpitClient(program);
  const id = await deliver({ subject: 'Foreign' });
  const headers = basic('any', user.key);
  for (const from of [
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ] as Record<string, string>[]) {
    for (const [method, path] of [
      ['GET', `/api/v1/message/${id}`],
      ['DELETE', '/api/v1/messages'],
      ['POST', '/api/v1/send'],
      ['GET', '/view/latest.html'],
    ] as const)
      assert.equal((await anybody(method, path, { headers: { ...headers, ...from } })).status, 403, path);
  }
  const own = await anybody('GET', '/api/v1/messages?limit=1', {
    headers: { ...headers, 'sec-fetch-site': 'none' },
  });
  assert.equal(own.json.messages[0].Read, false);
});

test('the scope and the team of a key are respected', async () => {
  const keyOf = async (scope: string) => {
    const { key } = await ok(user.api.post('/api/tokens', { name: scope, scope }));
    return mailpitClient(program, { 'x-api-key': key });
  };
  const id = await deliver({ subject: 'Scoped' });
  const [reading, sending] = [await keyOf('read'), await keyOf('send')];
  assert.equal((await reading('GET', `/api/v1/message/${id}`)).json.Subject, 'Scoped');
  assert.equal((await reading('GET', '/api/v1/messages?limit=1')).json.messages[0].Read, false);
  for (const [method, path] of [
    ['PUT', '/api/v1/messages'],
    ['DELETE', '/api/v1/messages'],
    ['DELETE', '/api/v1/search?query=x'],
    ['DELETE', '/api/v1/tags/x'],
    ['POST', '/api/v1/send'],
    ['GET', `/api/v1/message/${id}/link-check`],
  ] as const)
    assert.equal((await reading(method, path, { json: {} })).status, 403, path);
  assert.equal((await sending('GET', '/api/v1/messages')).status, 403);
  const mail = { From: { Email: 'a@example.com' }, To: [{ Email: user.address }], Text: 'x' };
  assert.equal((await sending('POST', '/api/v1/send', { json: mail })).status, 200);
  const stranger = mailpitClient(program, { 'x-api-key': (await createUser(program)).key });
  for (const path of ['', '/raw', '/headers', '/part/1', '/html-check']) {
    const answer = await stranger('GET', `/api/v1/message/${id}${path}`);
    assert.deepEqual([answer.status, answer.text], [404, '404 page not found']);
  }
  assert.equal((await stranger('GET', '/api/v1/messages')).json.total, 0);
  assert.equal((await stranger('DELETE', '/api/v1/messages', { json: { IDs: [String(id)] } })).text, 'ok');
  assert.equal((await ask('GET', `/api/v1/message/${id}`)).status, 200);
});
