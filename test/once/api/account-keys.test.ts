import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpClient } from '#test/support/clients/http.ts';
import { EventReader } from '#test/support/clients/http-events.ts';
import { accountKeys, idsOf } from '#test/support/program/account-keys.ts';
import { deliver } from '#test/support/program/program-mail.ts';
import { ok } from '#test/support/program/user.ts';

const world = await accountKeys();
const { program, user, stranger, own, also, foreign } = world;
const { ownMail, alsoMail, foreignMail, one, two, mailOf } = world;

test('a key shows the accounts that it is limited to', async () => {
  const made = await ok(user.api.post('/api/tokens', { accountIds: [own.id, also.id], scope: 'read' }));
  assert.deepEqual([made.account_ids, made.scope], [[own.id, also.id], 'read']);
  const { items } = await ok(user.api.get('/api/tokens?limit=200'));
  const shown = items.find(({ id }: { id: number }) => id === made.id);
  assert.deepEqual([shown.account_ids, shown.scope], [[own.id, also.id], 'read']);
  assert.equal(items.find(({ id }: { id: number }) => id === user.tokenId).account_ids, null);
  assert.deepEqual((await ok(user.api.post('/api/tokens', { account_ids: null }))).scope, 'full');
});

for (const [why, body, field] of [
  ['none', { account_ids: [] }, 'account_ids'],
  ['one twice', { account_ids: [own.id, own.id] }, 'account_ids.1'],
  ['one of another team', { account_ids: [own.id, stranger.account.id] }, 'account_ids'],
  ['one that there is not', { account_ids: [999_999] }, 'account_ids'],
  ['too many', { account_ids: Array.from({ length: 21 }, (_, at) => at + 1) }, 'account_ids'],
  ['a text', { account_ids: [String(own.id)] }, 'account_ids.0'],
  ['no list', { account_ids: own.id }, 'account_ids'],
  ['the scope full', { account_ids: [own.id], scope: 'full' }, 'scope'],
  ['the scope send', { account_ids: [own.id], scope: 'send' }, 'scope'],
  ['the scope of the store', { scope: 'accounts' }, 'scope'],
] as const) {
  test(`a key is not limited to ${why}`, async () => {
    const { status, json } = await user.api.post('/api/tokens', body);
    assert.deepEqual([status, json.violations?.[0]?.field], [422, field]);
  });
}

test('lists, searches and mailboxes have the mail of its accounts alone', async () => {
  for (const query of [
    '',
    '?q=secret',
    '?q=code',
    `?q=-is:flagged`,
    '?unread=true',
    '?mailbox=INBOX',
    '?limit=1',
  ]) {
    const { items, pagination } = await ok(one.api.get(`/api/messages${query}`));
    assert.deepEqual([idsOf({ items }), pagination.total], [[ownMail], 1], query);
  }
  for (const query of ['', '?q=secret', '?unread=true', '?mailbox=INBOX'])
    assert.deepEqual(idsOf(await ok(two.api.get(`/api/messages${query}`))), [alsoMail, ownMail], query);
  const names = [
    'tag:hidden',
    `account:${foreign.address}`,
    `id OR account:${foreign.address}`,
    `to:${foreign.address}`,
  ];
  for (const q of [...names, '-is:flagged tag:hidden', '-(from:nobody)'].map(encodeURIComponent)) {
    const found = idsOf(await ok(one.api.get(`/api/messages?q=${q}`)));
    assert.ok(!found.includes(foreignMail) && !found.includes(alsoMail), q);
  }
  for (const query of [
    `?address=${foreign.address}`,
    `?q=accounts:${foreign.id}`,
    `?to=${foreign.address}`,
    '?tag=hidden',
    '?page=2',
    '?page=9999',
  ])
    assert.deepEqual(idsOf(await ok(one.api.get(`/api/messages${query}`))), [], query);
  const inbox = (account: number, mailbox: number) => `/api/accounts/${account}/mailboxes/${mailbox}`;
  assert.deepEqual(idsOf(await ok(one.api.get(`${inbox(own.id, own.inbox)}/messages`))), [ownMail]);
  assert.deepEqual(idsOf(await ok(two.api.get(`${inbox(also.id, also.inbox)}/messages?q=secret`))), [
    alsoMail,
  ]);
  assert.equal((await ok(one.api.get(`/api/accounts/${own.id}/mailboxes`))).items.length, 5);
  for (const path of [
    `/api/accounts/${foreign.id}`,
    `/api/accounts/${foreign.id}/mailboxes`,
    inbox(foreign.id, foreign.inbox),
    inbox(own.id, foreign.inbox),
    ...['', '?wait=1', '?wait=1&expect=none', '?q=secret'].map(
      (q) => `${inbox(foreign.id, foreign.inbox)}/messages${q}`,
    ),
    `${inbox(own.id, foreign.inbox)}/messages`,
    `${inbox(foreign.id, own.inbox)}/messages`,
  ])
    assert.equal((await one.api.get(path)).status, 404, path);
});

test('a message of others, and each part of it, does not exist', async () => {
  const place = (account: number, box: number, id: number) =>
    `/api/accounts/${account}/mailboxes/${box}/messages/${id}`;
  const partsOf = (id: number, { id: account, inbox }: { id: number; inbox: number }) => [
    ...['', '/raw', '/attachments/1', '/html', '/html?images=inline', '/checks'].map(
      (part) => `/api/messages/${id}${part}`,
    ),
    ...['/download', '/source'].map((part) => `${place(account, inbox, id)}${part}`),
  ];
  for (const path of partsOf(ownMail, own)) assert.equal((await one.api.get(path)).status, 200, path);
  for (const path of [
    ...partsOf(foreignMail, foreign),
    ...partsOf(foreignMail, own),
    `/api/messages/${alsoMail}`,
    '/api/messages/999999',
  ]) {
    assert.equal((await one.api.get(path)).status, 404, path);
  }
  const { detail } = (await one.api.get('/api/messages/999999')).json;
  assert.equal((await one.api.get(`/api/messages/${foreignMail}`)).json.detail, detail);
  const judged = (id: number) =>
    one.api.post(`/api/messages/${id}/authentication`, { client_ip: '192.0.2.1' });
  assert.deepEqual([(await judged(ownMail)).status, (await judged(foreignMail)).status], [200, 404]);
  const tagged = (id: number, tag: string) =>
    one.api.get(`/api/messages/${id}`, { headers: { 'if-none-match': tag } });
  const { headers } = await user.api.get(`/api/messages/${foreignMail}`);
  assert.equal((await tagged(foreignMail, headers.etag ?? '')).status, 404);
});

test('a list of accounts has its own, by every filter and page', async () => {
  const idsAt = async (api: HttpClient, query: string) => {
    const { items, pagination } = await ok(api.get(`/api/accounts${query}`));
    return { ids: idsOf({ items }), total: pagination.total };
  };
  for (const query of ['', '?is_active=true', `?address=${own.address}`, '?limit=1'])
    assert.deepEqual(await idsAt(one.api, query), { ids: [own.id], total: 1 }, query);
  for (const query of [`?address=${foreign.address}`, '?is_active=false'])
    assert.deepEqual(await idsAt(one.api, query), { ids: [], total: 0 }, query);
  assert.deepEqual(await idsAt(two.api, ''), { ids: [own.id, also.id], total: 2 });
  assert.deepEqual(await idsAt(two.api, '?page=2&limit=1'), { ids: [also.id], total: 2 });
  assert.ok((await idsAt(user.api, '')).ids.includes(foreign.id));
});

test('a comparison and an assertion reach no message of others', async () => {
  const compared = await one.api.post('/api/compare', {
    left: { message_id: ownMail },
    right: { message_id: foreignMail },
  });
  const unknown = await one.api.post('/api/compare', {
    left: { message_id: ownMail },
    right: { message_id: 999_999 },
  });
  assert.equal(compared.status, unknown.status);
  assert.deepEqual(compared.json.violations, unknown.json.violations);
  const asserting = (find: object, expect: object[] = []) => one.api.post('/api/assert', { find, expect });
  assert.equal((await asserting({ address: own.address })).status, 200);
  for (const find of [
    { address: foreign.address },
    { q: 'tag:hidden' },
    { count: 2 },
    { address: also.address, wait: 1 },
  ]) {
    const { status, json } = await asserting(find);
    assert.equal(status, 417);
    for (const { id } of json.near_misses) assert.equal(id, ownMail);
  }
  const against = (id: number) =>
    asserting({}, [{ clients: { at_least: 1, compared_with: { message_id: id } } }]);
  assert.deepEqual((await against(foreignMail)).status, (await against(999_999)).status);
  assert.equal((await asserting({ after: foreignMail })).status, 422);
});

test('a wait is met by no mail of others, and its near misses tell of none', async () => {
  const missing = `missing@${user.domain.domain}`;
  const { cursor } = await ok(one.api.get('/api/messages'));
  const waits = [
    one.api.get(`/api/messages?wait=3&since=${cursor}&explain=1&subject=never`),
    one.api.get(`/api/messages?wait=3&since=${cursor}&explain=1&address=${missing}`),
    one.api.get(`/api/messages?wait=3&since=${cursor}&expect=none`),
    two.api.get(`/api/messages?wait=3&since=${cursor}&explain=1&count=2`),
  ];
  await using stream = await EventReader.open(user.api);
  await mailOf(foreign.address, { subject: 'Hidden subject' });
  await assert.rejects(deliver(program, { to: missing }), /550/);
  const mine = await mailOf(also.address);
  await stream.count(2);
  const [byWords, byAddress, byNone, byTwo] = await Promise.all(waits);
  for (const answer of [byWords, byAddress]) {
    assert.equal(answer?.headers['x-wait-result'], 'timeout');
    assert.deepEqual([answer?.json.items, answer?.json.near_misses], [[], []]);
  }
  const told = await ok(user.api.get(`/api/messages?wait=0&since=${cursor}&explain=1&address=${missing}`));
  assert.ok(told.near_misses.length > 0, 'a key without a limit is told of the refusal');
  assert.equal(byNone?.status, 200);
  assert.deepEqual(idsOf(byTwo?.json), [mine]);
  const after = await ok(two.api.get(`/api/messages?after=${ownMail}`));
  assert.ok(!idsOf(after).includes(foreignMail));
  for (const id of [foreignMail, 999_999]) {
    const { status, json } = await one.api.get(`/api/messages?after=${id}`);
    assert.deepEqual([status, json.violations[0].field], [422, 'after']);
  }
  const included = await ok(two.api.get(`/api/messages?include=message&since=${cursor}&mailbox=INBOX`));
  assert.equal(included.message.id, mine);
});

test('the number of a deleted message serves its own key alone', async () => {
  const [gone, hidden] = [await mailOf(own.address), await mailOf(foreign.address)];
  for (const id of [gone, hidden]) await ok(user.api.delete(`/api/messages/${id}`));
  assert.equal((await one.api.get(`/api/messages?after=${gone}`)).status, 200);
  assert.equal((await one.api.get(`/api/messages?after=${hidden}`)).status, 422);
});

test('a stream has the events of its accounts alone, replayed ones too', async () => {
  await using byOne = await EventReader.open(
    one.api,
    '?last_event_id=0&types=message.received,message.deleted,message.updated',
  );
  await using byTwo = await EventReader.open(two.api);
  await using byForeign = await EventReader.open(one.api, `?account_id=${foreign.id}&last_event_id=0`);
  await using byMailbox = await EventReader.open(one.api, `?mailbox_id=${foreign.inbox}&last_event_id=0`);
  await mailOf(foreign.address);
  await ok(user.api.patch(`/api/messages/${foreignMail}`, { is_read: true }));
  await ok(user.api.post('/api/messages/bulk', { q: 'secret', action: 'flag' }));
  const [second, last] = [await mailOf(also.address), await mailOf(own.address)];
  await byOne.until((frames) => frames.some(({ data }) => data?.id === last));
  await byTwo.until((frames) => frames.some(({ data }) => data?.id === last));
  const accounts = (reader: EventReader) => [...new Set(reader.events.map(({ data }) => data.account_id))];
  assert.deepEqual(accounts(byOne), [own.id]);
  assert.deepEqual(accounts(byTwo).sort(), [own.id, also.id].sort());
  assert.ok(byTwo.events.some(({ data }) => data.id === second));
  assert.deepEqual([byForeign.events, byMailbox.events], [[], []]);
  await mailOf(foreign.address);
  const latest = async (api: HttpClient, query = '') =>
    (await api.get(`/api/events?once=1${query}`)).body.toString();
  assert.match(await latest(one.api), new RegExp(`"id":${last},`));
  assert.match(await latest(two.api, `&account_id=${also.id}`), new RegExp(`"id":${second},`));
  assert.match(await latest(one.api, `&account_id=${foreign.id}`), /no events yet/);
});

test('a mail of several accounts names no recipient of the others', async () => {
  const tagged = own.address.replace('@', '+x@');
  await deliver(program, { to: [own.address, tagged, foreign.address], subject: 'Blind', text: 'Hello.' });
  const find = (api: HttpClient) => ok(api.get('/api/messages?subject=Blind&include=message'));
  const { message } = await find(one.api);
  assert.deepEqual(message.envelope.rcpt_to, [own.address, tagged]);
  const { headers } = await one.api.get(`/api/messages/${message.id}`);
  const byUser = await user.api.get(`/api/messages/${message.id}`);
  assert.deepEqual(byUser.json.envelope.rcpt_to, [own.address, tagged, foreign.address]);
  assert.notEqual(headers.etag, byUser.headers.etag);
});
