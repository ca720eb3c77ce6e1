import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Answer, HttpClient, Json } from '#test/support/clients/http.ts';
import { EventReader } from '#test/support/clients/http-events.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createTeam, join, keyOf, type SharedTeam, sessionOf } from '#test/support/program/team.ts';
import { createUser, idsOf, ok } from '#test/support/program/user.ts';

const program = await programOfAll();
const [ada, bob] = [await createUser(program), await createUser(program)];

const move = (api: HttpClient, { domain }: Pick<SharedTeam, 'domain'>, team_id: unknown) =>
  api.post(`/api/domains/${domain.id}/move`, { team_id });

/** Returns a response's status, code and field. */
const refusal = ({ status, json }: Answer) => [status, json.code, json.violations?.[0].field ?? null];

test('a domain moves with its mail, and the team that it leaves is told of deletions', async () => {
  const from = await createTeam(program, ada, 'leaving');
  const to = await createTeam(program, ada, 'arriving');
  const ids = [
    await deliverOne(program, { to: from.address }),
    await deliverOne(program, { to: from.address }),
  ];
  const old = await deliverOne(program, { to: to.address });
  const key = await keyOf(program, from.api);
  const { cursor } = await ok(to.api.get('/api/messages'));
  await using left = await EventReader.open(key.api, '?types=message.received,message.deleted');
  await using reached = await EventReader.open(to.api);
  const waiting = to.api.get(`/api/messages?wait=60&count=2&since=${cursor}&q=hello`);
  const losing = key.api.get(`/api/messages?wait=3&count=9`);

  const smtp = await SmtpClient.open(program.smtpPort);
  await smtp.begin('shop@example.com', [from.address]);
  const moved = await ok(move(from.api, from, to.id));
  assert.deepEqual(await ok(to.api.get(`/api/domains/${from.domain.id}`)), moved);
  assert.deepEqual({ ...moved, updated_at: 0 }, { ...from.domain, updated_at: 0 });
  await smtp.write('Subject: accepted before\r\n\r\nHello\r\n.\r\n');
  assert.match(await smtp.reply(), /^450 4\.2\.1/, 'its sender tries again');
  smtp.destroy();

  for (const api of [from.api, key.api]) {
    for (const path of [
      `/api/domains/${from.domain.id}`,
      `/api/accounts/${from.account.id}`,
      `/api/accounts/${from.account.id}/mailboxes/${from.inbox}/messages`,
      ...ids.map((id) => `/api/messages/${id}`),
      ...ids.map((id) => `/api/messages/${id}/raw`),
    ]) {
      assert.equal((await api.get(path)).status, 404, path);
    }
    assert.deepEqual(idsOf(await ok(api.get('/api/messages'))), []);
    assert.deepEqual(idsOf(await ok(api.get('/api/messages?q=hello'))), []);
    assert.equal((await move(api, from, to.id)).status, 404);
  }
  const lists = await Promise.all(
    ['messages', `accounts/${from.account.id}/mailboxes/${from.inbox}/messages`].map((path) =>
      ok(to.api.get(`/api/${path}`)),
    ),
  );
  const [second = 0, first = 0] = ids.toReversed();
  assert.deepEqual(lists.map(idsOf), [
    [second, first, old],
    [second, first],
  ]);
  assert.equal((await ok(to.api.get(`/api/accounts/${from.account.id}`))).used_bytes > 0, true);
  assert.deepEqual(idsOf((await waiting).json), [second, first], 'a wait finds moved mail');
  assert.deepEqual(idsOf((await losing).json), []);

  await left.until(() => left.events.length >= 2);
  assert.deepEqual(
    left.events.map(({ event, data }) => `${event} ${data.id}`).sort(),
    ids.map((id) => `message-deleted ${id}`).sort(),
  );
  await reached.until(() => reached.events.length > 0);
  const later = await deliverOne(program, { to: from.address, subject: 'later' });
  await reached.until(() => reached.events.some(({ data }) => data.id === later));
  assert.deepEqual([...new Set(reached.events.map(({ event }) => event))], ['resync', 'new-message']);
  assert.equal(reached.events.filter(({ event }) => event === 'new-message').length, 1);
  await using replay = await EventReader.open(key.api, '?last_event_id=0');
  await replay.count(4);
  assert.deepEqual(
    replay.events.slice(0, 2).map(({ data }) => [data.id, data.subject]),
    ids.map((id) => [id, '']),
    'subjects of the moved mail are forgotten',
  );
  assert.deepEqual(replay.events.slice(2), left.events);
  for (const api of [from.api, to.api]) {
    const { items } = await ok(api.get('/api/audit-log'));
    const { action, target, actor } = items.find((entry: Json) => entry.action === 'domain.moved');
    assert.deepEqual([action, target, actor], ['domain.moved', from.domain.domain, ada.email]);
  }
});

test('an owner of both teams alone moves a domain, by a key with full scope too', async () => {
  const from = await createTeam(program, ada, 'guarded');
  const to = await createTeam(program, ada, 'target');
  const others = await createTeam(program, bob, 'others');
  const roles = { member: await createUser(program), viewer: await createUser(program) };
  for (const role of ['member', 'viewer'] as const) {
    await join(program, from, roles[role], role);
    const refused = await move(sessionOf(program, roles[role], from.id), from, roles[role].id);
    assert.deepEqual(refusal(refused), [403, 'forbidden_role', null]);
    await join(program, others, ada, role);
    assert.deepEqual(refusal(await move(from.api, from, others.id)), [403, 'forbidden_role', null]);
  }
  const foreign = await createTeam(program, bob, 'foreign');
  const [unknown, known] = [await move(from.api, from, 987_654), await move(from.api, from, foreign.id)];
  assert.deepEqual(refusal(unknown), [422, 'validation_failed', 'team_id']);
  assert.deepEqual({ ...known.json, request_id: '' }, { ...unknown.json, request_id: '' });
  const readKey = await keyOf(program, from.api, { scope: 'read' });
  assert.deepEqual(refusal(await move(readKey.api, from, to.id)), [403, 'insufficient_scope', null]);
  assert.deepEqual(refusal(await move(to.api, from, from.id)), [404, 'not_found', null], 'in another team');
  assert.equal((await move((await keyOf(program, from.api)).api, from, to.id)).status, 200);
  assert.equal((await ok(to.api.get('/api/domains'))).pagination.total, 2);
  assert.equal((await move(to.api, from, ada.id)).status, 200, 'to the personal team');
  assert.equal((await ada.api.get(`/api/domains/${from.domain.id}`)).status, 200);
});

test('a move that a rule forbids is refused with a sentence', async () => {
  const from = await createTeam(program, ada, 'refused');
  const to = await createTeam(program, ada, 'full');
  const faulty: [unknown, number, string | null][] = [
    [from.id, 422, 'team_id'],
    [0, 422, 'team_id'],
    ['7', 422, 'team_id'],
    [null, 422, 'team_id'],
    [undefined, 422, 'team_id'],
  ];
  for (const [team, status, field] of faulty) {
    const [found, , named] = refusal(await move(from.api, from, team));
    assert.deepEqual([found, named], [status, field], String(team));
  }
  const path = `/api/domains/${from.domain.id}/move`;
  assert.equal((await from.api.call('POST', path)).status, 400);
  assert.equal((await from.api.get(path)).status, 405);
  const below = await ok(
    from.api.post('/api/domains', { domain: `mail.${from.domain.domain}`, mx_verified: true }),
  );
  const split = await move(from.api, from, to.id);
  assert.deepEqual(refusal(split), [422, 'validation_failed', 'domain']);
  assert.ok(split.json.violations[0].message.includes(below.domain));
  await ok(from.api.delete(`/api/domains/${below.id}`));
  for (const { api, account } of [from, to])
    await ok(api.patch(`/api/accounts/${account.id}`, { is_capture: true }));
  const captures = await move(from.api, from, to.id);
  assert.deepEqual(refusal(captures), [422, 'validation_failed', 'team_id']);
  assert.ok(captures.json.detail.includes(to.address));
  assert.deepEqual(await ok(from.api.get(`/api/domains/${from.domain.id}`)), from.domain);
});
