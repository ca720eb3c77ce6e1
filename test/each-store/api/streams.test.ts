import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { EventReader } from '#test/support/clients/http-events.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const program = await programOfAll();

/** Number of open streams by the process's metrics. */
async function openStreams(): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${program.opsPorts.api}/metrics`)).text();
  return Number(/^sandpost_event_streams (\d+)$/m.exec(metrics)?.[1]);
}

test('a stream begins with retry, sends receptions and deletions, and is never stored or compressed', async () => {
  const user = await createUser(program);
  await using stream = await EventReader.open(user.api, '', { 'accept-encoding': 'gzip, br' });
  const { headers } = stream.response;
  assert.match(headers['content-type'] ?? '', /^text\/event-stream/);
  assert.equal(headers['cache-control'], 'no-store');
  assert.equal(headers['x-accel-buffering'], 'no');
  assert.equal(headers['content-encoding'], undefined);
  assert.ok(headers['ratelimit-remaining']);
  assert.deepEqual(stream.frames, [{ retry: '2000' }]);

  const id = await deliverOne(program, { to: user.address, subject: 'Grüße' });
  await ok(user.api.patch(`/api/messages/${id}`, { is_read: true }));
  await ok(user.api.delete(`/api/messages/${id}`));
  const place = { id, account_id: user.account.id, mailbox_id: user.inbox };
  assert.deepEqual(await stream.count(2), [
    { id: '1', event: 'new-message', data: { type: 'message.received', ...place, subject: 'Grüße' } },
    { id: '3', event: 'message-deleted', data: { type: 'message.deleted', ...place } },
  ]);
});

test('message.updated comes only to those who ask; filters by account and mailbox; an empty filter is none', async () => {
  const user = await createUser(program);
  const second = await ok(user.api.post('/api/accounts', { address: `second@${user.domain.domain}` }));
  await using updates = await EventReader.open(user.api, '?types=message.updated');
  await using byAccount = await EventReader.open(user.api, `?account_id=${second.id}&types=`);
  await using byMailbox = await EventReader.open(user.api, `?mailboxId=${user.inbox}&account_id=`);
  const first = await deliverOne(program, { to: user.address });
  const other = await deliverOne(program, { to: second.address });
  await ok(user.api.patch(`/api/messages/${first}`, { flagged: true }));
  const place = { id: first, account_id: user.account.id, mailbox_id: user.inbox };
  assert.deepEqual(await updates.count(1), [
    {
      id: '3',
      event: 'message-updated',
      data: { type: 'message.updated', ...place, is_read: false, is_flagged: true },
    },
  ]);
  assert.deepEqual(
    (await byAccount.count(1)).map(({ data }) => data.id),
    [other],
  );
  assert.deepEqual(
    (await byMailbox.count(1)).map(({ data }) => data.id),
    [first],
  );
});

test('Last-Event-ID replays what followed, once and in order, and goes on live', async () => {
  const user = await createUser(program);
  for (let index = 0; index < 5; index += 1) await deliverOne(program, { to: user.address });
  for (const [query, headers] of [
    ['?last_event_id=2', {}],
    ['', { 'last-event-id': '2' }],
    ['?lastEventId=0', { 'last-event-id': '2' }],
  ] as const) {
    await using stream = await EventReader.open(user.api, query, headers);
    const before = (await stream.count(3)).length;
    await deliverOne(program, { to: user.address });
    const events = await stream.count(before + 1);
    assert.deepEqual(
      events.map(({ id }) => Number(id)),
      events.map((_, index) => index + 3),
    );
  }
});

test('a thousand events while clients come and go: each sees each once and in order', async () => {
  const user = await createUser(program);
  const to = Array.from({ length: 10 }, (_, index) => `a${index}@${user.domain.domain}`);
  for (const address of to) await ok(user.api.post('/api/accounts', { address }));
  const { deliver } = await import('#test/support/program/program-mail.ts');
  const sending = (async () => {
    for (let index = 0; index < 100; index += 1) await deliver(program, { to });
  })();
  const seen: number[] = [];
  while (seen.length < 1000) {
    await using stream = await EventReader.open(user.api, '', { 'last-event-id': String(seen.at(-1) ?? 0) });
    const wanted = Math.min(137, 1000 - seen.length);
    seen.push(...(await stream.count(wanted)).slice(0, wanted).map(({ id }) => Number(id)));
  }
  await sending;
  assert.deepEqual(
    seen,
    Array.from({ length: 1000 }, (_, index) => index + 1),
  );
});

test('an unknown Last-Event-ID gets one resync, and the stream goes on', async () => {
  const user = await createUser(program);
  await deliverOne(program, { to: user.address });
  await using stream = await EventReader.open(user.api, '?last_event_id=999');
  await stream.count(1);
  await deliverOne(program, { to: user.address });
  assert.deepEqual(
    (await stream.count(2)).map(({ event }) => event),
    ['resync', 'new-message'],
  );
});

test('once=1 gives the latest matching event, or a comment, and ends', async () => {
  const user = await createUser(program);
  const none = await user.api.get('/api/events?once=1');
  assert.doesNotMatch(none.body.toString(), /^(data|event):/m);
  assert.match(none.body.toString(), /^retry: 2000\n\n:/);
  const id = await deliverOne(program, { to: user.address });
  await ok(user.api.delete(`/api/messages/${id}`));
  assert.match((await user.api.get('/api/events?once=1')).body.toString(), /event: message-deleted\n/);
  const received = (await user.api.get('/api/events?once=1&types=message.received')).body.toString();
  assert.match(received, /id: 1\nevent: new-message\n/);
});

for (const [query, header] of [
  ['?last_event_id=abc', ''],
  ['?last_event_id=-1', ''],
  ['?last_event_id=', ''],
  ['', 'abc'],
  ['', '1.5'],
  ['', '99999999999999999'],
  ['?types=nothing', ''],
  ['?account_id=x', ''],
  ['?once=2', ''],
] as const) {
  test(`a stream is refused: ${query} Last-Event-ID "${header}"`, async () => {
    const user = await createUser(program);
    const headers = header ? { 'last-event-id': header } : {};
    const { status, json } = await user.api.get(`/api/events${query}`, { headers });
    assert.equal(status, 422);
    assert.match(json.violations[0].message, /^must (not )?be /);
  });
}

test('a user has 100 streams and no more; those that end make room and leave nothing behind', async () => {
  const user = await createUser(program);
  await until(async () => (await openStreams()) === 0);
  const opened = await Promise.all(Array.from({ length: 110 }, () => user.api.open('GET', '/api/events')));
  const streams = opened.filter(({ statusCode }) => statusCode === 200);
  assert.equal(streams.length, 100);
  assert.equal(opened.filter(({ statusCode }) => statusCode === 429).length, 10);
  const refused = await user.api.get('/api/events');
  assert.equal(refused.json.code, 'rate_limited');
  assert.ok(Number(refused.headers['retry-after']) >= 1);
  const other = await createUser(program);
  await using _ = await EventReader.open(other.api);
  for (const response of opened) response.destroy();
  await until(async () => (await openStreams()) === 1);
  await using again = await EventReader.open(user.api);
  assert.ok(again);
});

test('a session may follow too; a stream ends within a heartbeat when its key is revoked', async () => {
  const user = await createUser(program);
  const session = new HttpClient(program, { cookie: user.cookie });
  await using bySession = await EventReader.open(session);
  await using byKey = await EventReader.open(user.api);
  assert.equal((await user.api.delete(`/api/tokens/${user.tokenId}`)).status, 204);
  await byKey.ended;
  await bySession.until((frames) => frames.some(({ comment }) => comment !== undefined));
});
