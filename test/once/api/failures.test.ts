import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createTeam } from '#test/support/program/team.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const program = await programOfAll();
const [ada, bob] = [await createUser(program), await createUser(program)];

const secondsOf = ({ created_at, expires_at }: Json) =>
  (Date.parse(expires_at) - Date.parse(created_at)) / 1000;

test('a failure rule is made, read and deleted, and the audit log tells of it', async () => {
  const { api } = await createTeam(program, ada, 'failing');
  const { items: none, pagination } = await ok(api.get('/api/failures'));
  assert.deepEqual([none, pagination.total], [[], 0]);
  const match = { address: 'qa+run7@app.test', from: null, q: null };
  const made = await ok(api.post('/api/failures', { match: { address: match.address }, times: 2 }));
  const { id, created_at, expires_at } = made;
  assert.deepEqual(made, {
    ...{
      id,
      name: null,
      is_active: true,
      match,
      stage: 'rcpt',
      action: 'reply',
      reply: '451 4.7.1 Refused on purpose',
      dsn: null,
    },
    ...{
      times: 2,
      delay_ms: null,
      rate: null,
      expires_in: 3600,
      hits: 0,
      attempts: [],
      created_at,
      expires_at,
    },
  });
  assert.equal(secondsOf(made), 3600);
  const whole = {
    ...{ match: { q: 'subject:"a b"', address: 'b@elsewhere.test', from: 'c@app.test' }, stage: 'end' },
    ...{
      action: 'reply',
      reply: '552 5.2.2 Full',
      times: 3,
      delay_ms: 60_000,
      rate: { limit: 10, seconds: 60 },
    },
    ...{ dsn: null, expires_in: 86_400 },
  };
  const other = await ok(api.post('/api/failures', whole));
  assert.partialDeepStrictEqual(other, whole);
  assert.equal(secondsOf(other), 86_400);
  const again = await ok(api.post('/api/failures', { ...other, expires_in: '24h' }));
  assert.deepEqual({ ...again, id: 0, created_at, expires_at }, { ...other, id: 0, created_at, expires_at });

  const path = `/api/failures/${id}`;
  assert.deepEqual(await ok(api.get(path)), made);
  assert.deepEqual((await ok(api.get('/api/failures'))).items, [made, other, again]);
  assert.deepEqual((await ok(api.get('/api/failures?limit=1&page=2'))).items, [other]);
  assert.deepEqual(await ok(api.delete(path)), { id, deleted: true });
  for (const answer of [await api.get(path), await api.delete(path), await api.get('/api/failures/987654')]) {
    assert.equal(answer.status, 404);
    assert.equal(answer.json.detail, 'No failure rule has this id');
  }
  const { items } = await ok(api.get('/api/audit-log?limit=4'));
  assert.deepEqual(
    items.map(({ action, target }: Json) => [action, target]),
    [
      ['failure.deleted', 'rcpt reply qa+run7@app.test'],
      ['failure.created', 'end reply b@elsewhere.test'],
      ['failure.created', 'end reply b@elsewhere.test'],
      ['failure.created', 'rcpt reply qa+run7@app.test'],
    ],
  );
});

test('a failure rule has a name, is changed, and is paused without a loss of what it did', async () => {
  const { api } = await createTeam(program, ada, 'pausing');
  const { id } = await ok(api.post('/api/failures', { name: 'Full', reply: '452 4.2.2 Full', times: 2 }));
  const path = `/api/failures/${id}`;
  const paused = await ok(api.patch(path, { is_active: false }));
  assert.partialDeepStrictEqual(paused, {
    id,
    name: 'Full',
    is_active: false,
    reply: '452 4.2.2 Full',
    times: 2,
  });
  const changed = await ok(api.patch(path, { isActive: true, name: null, action: 'drop', expires_in: 60 }));
  assert.partialDeepStrictEqual(changed, {
    name: null,
    is_active: true,
    action: 'drop',
    reply: null,
    times: 2,
  });
  assert.ok(Date.parse(changed.expires_at) < Date.parse(paused.expires_at));
  assert.deepEqual(await ok(api.get(path)), changed);
  for (const body of [
    {},
    { hits: 0 },
    { name: '' },
    { name: 'x'.repeat(101) },
    { reply: '250 OK' },
    { paused: true },
  ])
    assert.equal((await api.patch(path, body)).status, 422, JSON.stringify(body));
  assert.equal((await api.patch('/api/failures/987654', { is_active: true })).status, 404);
  assert.equal((await bob.api.patch(path, { is_active: false })).status, 404);
  const { items } = await ok(api.get('/api/audit-log?limit=3'));
  assert.deepEqual(
    items.map(({ action, target }: Json) => [action, target]),
    [
      ['failure.changed', 'rcpt drop'],
      ['failure.changed', 'Full'],
      ['failure.created', 'Full'],
    ],
  );
});

test('without any field, a rule refuses each recipient', async () => {
  const made = await ok(ada.api.post('/api/failures', {}));
  assert.deepEqual([made.match, made.stage], [{ q: null, address: null, from: null }, 'rcpt']);
  await ok(ada.api.delete(`/api/failures/${made.id}`));
});

for (const [field, body] of [
  ['match', { match: 'a@app.test' }],
  ['match.to', { match: { to: 'a@app.test' } }],
  ['match.q', { stage: 'end', match: { q: 'x'.repeat(1001) } }],
  ['match.q', { stage: 'end', match: { q: 'x '.repeat(51) } }],
  ['match.q', { stage: 'end', match: { q: 'is:unread' } }],
  ['match.q', { match: { q: 'x' } }],
  ['match.address', { match: { address: 'app.test' } }],
  ['match.address', { match: { address: `${'x'.repeat(320)}@app.test` } }],
  ['match.address', { stage: 'mail', match: { address: 'a@app.test' } }],
  ['match.from', { match: { from: 7 } }],
  ['stage', { stage: 'helo' }],
  ['action', { action: 'explode' }],
  ['action', { action: 'dsn', stage: 'auth' }],
  ['reply', { reply: '250 OK' }],
  ['reply', { reply: `451 ${'x'.repeat(497)}` }],
  ['reply', { reply: '451 a\r\n250 b' }],
  ['reply', { action: 'drop', reply: '451 x' }],
  ['dsn', { dsn: 'bounced', action: 'dsn' }],
  ['dsn', { dsn: 'failed' }],
  ['times', { times: 0 }],
  ['times', { times: 1.5 }],
  ['delay_ms', { delay_ms: 60_001 }],
  ['delay_ms', { delay_ms: -1 }],
  ['delay_ms', { action: 'delay' }],
  ['rate.seconds', { rate: { limit: 1 } }],
  ['rate.limit', { rate: { limit: '1', seconds: 1 } }],
  ['expires_in', { expires_in: 86_401 }],
  ['expires_in', { expires_in: 0 }],
] as const) {
  test(`a failure rule is refused for its ${field}: ${JSON.stringify(body).slice(0, 60)}`, async () => {
    const refused = await ada.api.post('/api/failures', body);
    assert.equal(refused.status, 422);
    assert.equal(refused.json.violations[0].field, field);
  });
}

for (const [body, field, message] of [
  [{ address: 'bob@app.test', reply: '550 No' }, 'address', /unknown; the nearest field is match\.address/],
  [{ expires: 60 }, 'expires', /the nearest field is expires_in/],
  [{ match: { to: 'bob@app.test' } }, 'match.to', /unknown: use address, from or q/],
] as const) {
  test(`a failure rule tells of the unknown field ${field}`, async () => {
    const { status, json } = await ada.api.post('/api/failures', body);
    assert.deepEqual([status, json.violations.length, json.violations[0].field], [422, 1, field]);
    assert.match(json.violations[0].message, message);
  });
}

test('a team has a hundred failure rules, and one that is over makes room', async () => {
  const { api } = await createTeam(program, ada, 'breaking');
  for (let n = 0; n < 99; n += 1) await ok(api.post('/api/failures', {}));
  const last = await ok(api.post('/api/failures', { expires_in: 3 }));
  const refused = await api.post('/api/failures', {});
  assert.equal(refused.status, 422);
  assert.match(refused.json.detail, /100 failures/);
  while ((await api.get(`/api/failures/${last.id}`)).status === 200);
  await ok(api.post('/api/failures', {}));
});

test('an account simulates failures if it is told to', async () => {
  const { api, account, domain } = ada;
  const path = `/api/accounts/${account.id}`;
  assert.equal((await ok(api.get(path))).simulates_failures, false);
  const address = `failing@${domain.domain}`;
  const made = await ok(api.post('/api/accounts', { address, simulates_failures: true }));
  assert.equal(made.simulates_failures, true);
  assert.equal((await ok(api.get(`/api/accounts/${made.id}`))).simulates_failures, true);
  const { items } = await ok(api.get(`/api/accounts?address=${encodeURIComponent(address)}`));
  assert.equal(items[0].simulates_failures, true);
  assert.equal((await ok(api.patch(path, { simulatesFailures: true }))).simulates_failures, true);
  assert.equal((await ok(api.patch(path, { is_active: true }))).simulates_failures, true);
  assert.equal((await ok(api.patch(path, { simulates_failures: false }))).simulates_failures, false);
  const refused = await api.patch(path, { simulates_failures: 'yes' });
  assert.equal(refused.json.violations[0].field, 'simulates_failures');
});
