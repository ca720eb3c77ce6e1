import assert from 'node:assert/strict';
import { buffer } from 'node:stream/consumers';
import { test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { hostileIds, mailpitClient } from '#test/support/clients/mailpit.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const { program } = await scene();

/** Creates a user with separate mail, and sends requests with that user's key. */
async function mailer() {
  const user = await createUser(program);
  const deliver = (mail: object) => deliverOne(program, { to: user.address, ...mail });
  return { user, deliver, ask: mailpitClient(program, { 'x-api-key': user.key }) };
}

const subjectsOf = (items: { Content: { Headers: Record<string, string[]> } }[]) =>
  items.map(({ Content: { Headers: fields } }) => fields.Subject?.[0]);

test('MailHog: a list has a start and a limit, a search its kinds, and a mail is deleted', async () => {
  const { deliver, ask } = await mailer();
  for (const subject of ['one', 'two', 'three'])
    await deliver({ subject, from: `${subject}@example.com`, text: `Code of ${subject}` });
  const { json: list } = await ask('GET', '/api/v2/messages?start=1&limit=1');
  assert.deepEqual([list.total, list.start, list.count, subjectsOf(list.items)], [3, 1, 1, ['two']]);
  const found = async (query: string) =>
    subjectsOf((await ask('GET', `/api/v2/search?${query}`)).json.items).sort();
  assert.deepEqual(await found('kind=from&query=two@'), ['two']);
  assert.deepEqual(await found('kind=containing&query=Code%20of%20t'), ['three', 'two']);
  assert.deepEqual(await found('kind=to&query=nobody@'), []);
  const [{ ID: id }] = list.items;
  assert.equal((await ask('GET', `/api/v1/messages/${id}`)).json.Content.Body, 'Code of two');
  const { text, headers } = await ask('GET', `/api/v1/messages/${id}/download`);
  assert.match(text, /^Subject: two\r$/m);
  assert.equal(headers['content-disposition'], `attachment; filename="${id}.eml"`);
  const removed = await ask('DELETE', `/api/v1/messages/${id}`);
  assert.deepEqual([removed.status, removed.text], [200, '']);
  assert.equal((await ask('DELETE', `/api/v1/messages/${id}`)).status, 404);
  assert.equal((await ask('DELETE', '/api/v1/messages')).status, 200);
  assert.equal((await ask('GET', '/api/v2/messages')).json.total, 0);
});

test('MailDev: mails are listed, filtered, read, marked and deleted', async () => {
  const { deliver, ask } = await mailer();
  const attachments = [{ filename: 'a b.txt', content: 'abc' }];
  const one = await deliver({ subject: 'one', html: '<p onclick="x()">Hi</p>', attachments });
  await deliver({ subject: 'two', from: 'two@example.com' });
  await deliver({ subject: 'three', from: 'two@example.com' });
  const listed = async (query = '') =>
    (await ask('GET', `/email${query}`)).json.map(({ subject }: { subject: string }) => subject);
  assert.deepEqual(await listed(), ['one', 'two', 'three']);
  assert.deepEqual(await listed('?skip=2'), ['three']);
  assert.deepEqual(await listed('?from.address=two@example.com'), ['two', 'three']);
  assert.deepEqual(await listed('?from.address=two@example.com&skip=1'), ['three']);
  assert.deepEqual(await listed('?subject=tw'), []);
  const { json: mail } = await ask('GET', `/email/${one}`);
  assert.deepEqual([mail.id, mail.read, mail.text], [String(one), true, 'Hello there']);
  const [{ generatedFileName: file }] = mail.attachments;
  assert.equal((await ask('GET', `/email/${one}/attachment/${file}`)).text, 'abc');
  const { text: html } = await ask('GET', `/email/${one}/html`);
  assert.match(html, /<p>Hi<\/p>/);
  for (const path of ['source', 'download'])
    assert.match((await ask('GET', `/email/${one}/${path}`)).text, /^Subject: one\r$/m);
  assert.equal((await ask('PATCH', '/email/read-all')).json, 2);
  assert.equal((await ask('PATCH', '/email/read-all')).json, 0);
  assert.equal((await ask('DELETE', `/email/${one}`)).json, true);
  const gone = await ask('GET', `/email/${one}`);
  assert.deepEqual([gone.status, gone.json], [404, { error: 'Email was not found' }]);
  assert.equal((await ask('DELETE', '/email/all')).json, true);
  assert.deepEqual(await listed(), []);
  assert.equal((await mailpitClient(program)('GET', '/healthz')).json, true);
});

test('a key, its scope and its team count as on the paths of Mailpit', async () => {
  const { user, deliver, ask } = await mailer();
  const id = await deliver({ subject: 'Scoped' });
  const { key } = await ok(user.api.post('/api/tokens', { name: 'read', scope: 'read' }));
  const reading = mailpitClient(program, { 'x-api-key': key });
  const stranger = (await mailer()).ask;
  const basic = (password: string) => ({
    authorization: `Basic ${Buffer.from(`any:${password}`).toString('base64')}`,
  });
  for (const path of ['/api/v2/messages', `/api/v1/messages/${id}`, '/email', `/email/${id}`]) {
    const anybody = mailpitClient(program);
    const refused = await anybody('GET', path);
    assert.deepEqual([refused.status, /^Basic /.test(`${refused.headers['www-authenticate']}`)], [401, true]);
    assert.equal((await anybody('GET', path, { headers: { cookie: user.cookie } })).status, 401);
    assert.equal((await anybody('GET', path, { headers: basic(user.key) })).status, 200);
    const foreign = { ...basic(user.key), 'sec-fetch-site': 'cross-site' };
    assert.equal((await anybody('GET', path, { headers: foreign })).status, 403);
    assert.equal((await reading('GET', path)).status, 200);
  }
  assert.equal((await ask('GET', '/email?subject=Scoped&read=x')).json.length, 0);
  for (const [method, path] of [
    ['DELETE', `/api/v1/messages/${id}`],
    ['DELETE', `/email/${id}`],
    ['DELETE', '/email/all'],
    ['PATCH', '/email/read-all'],
  ] as const) {
    assert.equal((await reading(method, path)).status, 403, path);
    const others = await stranger(method, path);
    assert.equal(others.status, path.endsWith('all') ? 200 : 404, path);
  }
  for (const path of ['/html', '/source', '/download', '/attachment/1.txt', ''])
    assert.equal((await stranger('GET', `/email/${id}${path}`)).status, 404, path);
  assert.equal((await stranger('GET', `/api/v1/messages/${id}`)).status, 404);
  assert.equal((await ask('GET', `/email/${id}`)).json.subject, 'Scoped');
});

test('hostile paths and queries have answers of the catcher, and bounds', async () => {
  const { user, deliver, ask } = await mailer();
  const id = await deliver({ subject: 'Kept' });
  for (const name of hostileIds) {
    const maildev = await ask('GET', `/email/${name}`);
    assert.deepEqual([maildev.status, maildev.json], [404, { error: 'Email was not found' }]);
    const mailhog = await ask('GET', `/api/v1/messages/${name}`);
    assert.deepEqual([mailhog.status, mailhog.type.split(';')[0]], [404, 'text/plain']);
    assert.equal((await ask('GET', `/email/${id}/attachment/${name}`)).status, 404);
  }
  for (const value of ['0', '-5', '1.5', 'NaN', '', '999999999999999', '9'.repeat(40)]) {
    const { status, json } = await ask('GET', `/api/v2/messages?limit=${value}&start=${value}`);
    assert.equal(status, 200, value);
    assert.ok(json.items.length <= 1);
    assert.equal((await ask('GET', `/email?skip=${value}`)).status, 200);
  }
  for (const query of [
    '',
    'kind=to',
    'kind=bcc&query=x',
    'kind=__proto__&query=x',
    `kind=to&query=${'x'.repeat(1001)}`,
    'query=x',
  ])
    assert.equal((await ask('GET', `/api/v2/search?${query}`)).status, 400, query);
  for (const query of [
    '__proto__=x',
    'constructor.name=Object',
    'to.length=1',
    'to.0.address=x',
    '.=x',
    '=x',
  ])
    assert.deepEqual((await ask('GET', `/email?${query}`)).json, [], query);
  const keys = Array.from({ length: 1000 }, (_, index) => `a${index}=1`).join('&');
  assert.equal((await ask('GET', `/email?${keys}`)).status, 200);
  assert.equal((await ask('POST', '/email')).status, 405);
  assert.equal((await ask('POST', '/api/v2/messages')).status, 405);
  for (const path of ['/api/v2/nope', '/email/1/nope', '/api/v2/jim'])
    assert.equal((await ask('GET', path)).status, 404, path);
  const head = await new HttpClient(program).open('HEAD', '/email', { headers: { 'x-api-key': user.key } });
  assert.deepEqual([head.statusCode, (await buffer(head)).length], [200, 0]);
});

test('a mail of many parts, levels and fields is shown in part, and of a long one its first bytes', async () => {
  const { deliver, ask } = await mailer();
  const shown = async () => (await ask('GET', '/api/v2/messages?limit=1')).json.items[0];
  const parts = Array.from({ length: 3000 }, (_, index) => `--b\r\n\r\n${index}\r\n`).join('');
  const head = 'Subject: parts\r\nContent-Type: multipart/mixed; boundary=b\r\n';
  await deliver({ raw: `${head}\r\n${parts}--b--\r\n` });
  assert.ok((await shown()).MIME.Parts.length <= 1000);
  const level = (depth: number): string =>
    depth === 0
      ? 'x'
      : `Content-Type: multipart/mixed; boundary=${'b'.repeat(depth)}\r\n\r\n--${'b'.repeat(depth)}\r\n${level(depth - 1)}`;
  await deliver({ raw: `Subject: levels\r\n${level(60)}\r\n` });
  assert.ok(JSON.stringify(await shown()).length < 60_000);
  const fields = Array.from({ length: 5000 }, (_, index) => `X-${index}: y\r\n`).join('');
  await deliver({ raw: `__proto__: z\r\n${fields}\r\nx\r\n` });
  const { Headers: headers } = (await shown()).Content;
  assert.ok(Object.keys(headers).length <= 1000);
  assert.deepEqual(Object.getOwnPropertyDescriptor(headers, '__proto__')?.value, ['z']);
  await deliver({ subject: 'long', text: 'A line of text that is long\n'.repeat(60_000) });
  const { Content: content, Raw: raw } = await shown();
  assert.equal(raw.Data.length, 262_144);
  assert.ok(content.Size > 1_000_000 && content.Body.length < 262_144);
});
