import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limitsReached } from '#test/support/program/limits-reached.ts';
import { scene } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const { program, user } = await scene();
const other = await createUser(program);
const path: string = `/api/accounts/${user.account.id}/messages/send`;

const newest = async (mailbox: string) => {
  const list = await ok(user.api.get(`/api/messages?mailbox=${mailbox}&limit=1`));
  return ok(user.api.get(`/api/messages/${list.items[0].id}`));
};

test('a message goes to every recipient, with a copy, read, in Sent', async () => {
  const second = await ok(user.api.post('/api/accounts', { address: `second@${user.domain.domain}` }));
  const body = {
    to: [user.address],
    cc: second.address,
    bcc: [],
    replyTo: user.address,
    subject: 'Zürich',
    text: 'Your code is 493817.',
    html: '<p>Your code is 493817.</p>',
  };
  const sent = await user.api.post(path, body);
  assert.equal(sent.status, 204);
  assert.equal(sent.body.length, 0);
  const copy = await newest('Sent');
  const received = await newest('INBOX');
  assert.equal(copy.is_read, true);
  assert.equal(received.is_read, false);
  assert.equal(received.subject, 'Zürich');
  assert.equal(received.from_address, user.address);
  assert.deepEqual(received.reply_to, [{ name: '', address: user.address }]);
  assert.match(received.html, /493817/);
  assert.equal(received.spf.result, 'none');
  assert.deepEqual(received.dkim, []);
  const all = await ok(user.api.get('/api/messages?subject=Z%C3%BCrich'));
  assert.equal(all.pagination.total, 2);
});

test('only "to" is needed, as one string or a list', async () => {
  assert.equal((await user.api.post(path, { to: user.address })).status, 204);
  assert.equal((await user.api.post(path, { to: [user.address], reply_to: [user.address] })).status, 204);
});

const hostile = (foreign: string, own: string): [string, unknown, string][] => [
  ['a stranger', { to: [foreign] }, 'to'],
  ['a stranger beside an own one', { to: [own, foreign] }, 'to'],
  ['a stranger in cc', { to: [own], cc: [foreign] }, 'cc'],
  ['a stranger in bcc', { to: [own], bcc: foreign }, 'bcc'],
  ['a stranger in replyTo', { to: [own], replyTo: foreign }, 'replyTo'],
  ['the outside world', { to: ['someone@example.com'] }, 'to'],
  ['a name', { to: [`QA <${own}>`] }, 'to'],
  ['a comment', { to: [`(${foreign}) ${own}`] }, 'to'],
  ['a comment within', { to: [own.replace('@', `(${foreign})@`)] }, 'to'],
  ['a group', { to: [`group: ${foreign}, ${own};`] }, 'to'],
  ['a quoted atom', { to: [`"${own.replace('@', '"@')}`] }, 'to'],
  ['a quoted local part', { to: [`"${foreign} "@${own.split('@')[1]}`] }, 'to'],
  ['folding', { to: [`${own}\r\n ${foreign}`] }, 'to'],
  ['two in one', { to: [`${own}, ${foreign}`] }, 'to'],
  ['two in one string', { to: `${own},${foreign}` }, 'to'],
  ['NUL', { to: [`${own}\0`] }, 'to'],
  ['a route', { to: [`<@${foreign.split('@')[1]}:${own}>`] }, 'to'],
  [
    'an encoded word',
    { to: [own], replyTo: `=?utf-8?q?${foreign.replace('@', '=40')}?=@${own.split('@')[1]}` },
    'replyTo',
  ],
  ['an encoded word in cc', { to: [own], cc: [`=?utf-8?b?dmljdGlt?=@${own.split('@')[1]}`] }, 'cc'],
  ['a full-width at sign', { to: [own], replyTo: `victim\uff20evil.test@${own.split('@')[1]}` }, 'replyTo'],
  ['a subject of 999 characters', { to: [own], subject: 'é'.repeat(999) }, 'subject'],
  ['a subject of 12 million characters', { to: [own], subject: 'é'.repeat(12_000_000) }, 'subject'],
  ['101 addresses in replyTo', { to: [own], replyTo: new Array(101).fill(own) }, 'replyTo'],
  ['a text too large', { to: [own], text: ' \n'.repeat(8_000_000) }, 'text'],
  ['an object', { to: [{ address: own }] }, 'to'],
  ['a file', { to: [own], text: { path: '/etc/passwd' } }, 'text'],
  ['a URL', { to: [own], html: { href: 'http://127.0.0.1/' } }, 'html'],
  ['no list', { to: [] }, 'to'],
  ['nothing', {}, 'to'],
  ['CR in the subject', { to: [own], subject: 'a\rBcc: x@example.com' }, 'subject'],
  ['LF in the subject', { to: [own], subject: 'a\nBcc: x@example.com' }, 'subject'],
  ['NUL in the subject', { to: [own], subject: 'a\0b' }, 'subject'],
  ['nobody there', { to: [`nobody@${own.split('@')[1]}`] }, 'to'],
];

test('one wrong address refuses the whole message, and nothing is sent', async () => {
  const before = (await ok(user.api.get('/api/messages?mailbox=Sent'))).pagination.total;
  for (const [name, body, field] of hostile(other.address, user.address)) {
    const { status, json } = await user.api.post(path, body);
    assert.equal(status, 422, name);
    assert.ok(json.violations[0].field.startsWith(field), `${name}: ${JSON.stringify(json.violations)}`);
  }
  assert.equal((await ok(user.api.get('/api/messages?mailbox=Sent'))).pagination.total, before);
  assert.equal((await ok(other.api.get('/api/messages'))).pagination.total, 0);
});

test('a subject may have 998 characters', async () => {
  const subject = '🎉'.repeat(998);
  assert.equal((await user.api.post(path, { to: user.address, subject })).status, 204);
  assert.equal((await newest('INBOX')).size_bytes > 998 * 4, true);
});

test('a problem lists at most 20 violations', async () => {
  const to = Array.from({ length: 50 }, (_, index) => `${index}@example.com`);
  const { status, json } = await user.api.post(path, { to });
  assert.equal(status, 422);
  assert.equal(json.violations.length, 20);
});

test('limits that a request reaches are counted', async () => {
  const before = await limitsReached(program.opsPorts.api);
  const own = user.address;
  const bodies = [
    { to: own, subject: 'é'.repeat(999) },
    { to: new Array(101).fill(own) },
    { to: new Array(60).fill(own), cc: new Array(60).fill(own) },
    { to: Array.from({ length: 50 }, (_, index) => `${index}@example.com`) },
    { to: 'x'.repeat(321) },
  ];
  for (const body of bodies) assert.equal((await user.api.post(path, body)).status, 422);
  const storage = { storage_limit: 1e15 };
  assert.equal((await user.api.patch(`/api/accounts/${user.account.id}`, storage)).status, 422);
  const after = await limitsReached(program.opsPorts.api);
  const names = ['http.subjectCharacters', 'http.recipients', 'http.violations', 'owned.storageBytes'];
  const counts = names.map((name) => (after.get(name) ?? 0) - (before.get(name) ?? 0));
  assert.deepEqual(counts, [1, 2, 1, 1]);
});

test('an account that is not there is 404 before the body is read', async () => {
  const nowhere = '/api/accounts/999999999/messages/send';
  const headers = { 'content-type': 'application/json' };
  assert.equal((await user.api.post(nowhere, undefined, { body: '{"to":', headers })).status, 404);
  const foreign = `/api/accounts/${other.account.id}/messages/send`;
  assert.equal((await user.api.post(foreign, undefined, { body: '{"to":', headers })).status, 404);
  assert.equal((await user.api.post(path, undefined, { body: '{"to":', headers })).status, 400);
  assert.equal((await user.api.post(path)).status, 400);
});

test('every bad address is named', async () => {
  const { json } = await user.api.post(path, { to: ['a@example.com', 'b@example.com'], cc: 'c@example.com' });
  assert.deepEqual(
    json.violations.map(({ field, message }: { field: string; message: string }) => [
      field,
      message.split(':')[0],
    ]),
    [
      ['to', 'a@example.com'],
      ['to', 'b@example.com'],
      ['cc', 'c@example.com'],
    ],
  );
});

test('over 100 recipients, a wildcard or inactive sender, a full copy: 422', async () => {
  const many = Array.from({ length: 60 }, () => user.address);
  assert.equal((await user.api.post(path, { to: many, cc: many })).status, 422);
  const wildcard = await ok(user.api.post('/api/accounts', { address: `*@${user.domain.domain}` }));
  assert.equal(
    (await user.api.post(`/api/accounts/${wildcard.id}/messages/send`, { to: user.address })).status,
    422,
  );
  const full = await ok(
    user.api.post('/api/accounts', { address: `full@${user.domain.domain}`, storage_limit: 10 }),
  );
  assert.equal(
    (await user.api.post(`/api/accounts/${full.id}/messages/send`, { to: user.address })).status,
    422,
  );
  await ok(user.api.patch(`/api/accounts/${full.id}`, { is_active: false }));
  assert.equal(
    (await user.api.post(`/api/accounts/${full.id}/messages/send`, { to: user.address })).status,
    422,
  );
});

test('a body of several MiB is taken here, up to the size of a message', async () => {
  const text = `${'x'.repeat(70)}\n`.repeat(30_000);
  assert.equal((await user.api.post(path, { to: user.address, text })).status, 204);
  assert.equal((await newest('INBOX')).size_bytes > 2_000_000, true);
});
