import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { EventReader } from '#test/support/clients/http-events.ts';
import { Contract, type Operation } from '#test/support/clients/openapi.ts';
import { startProgram } from '#test/support/program/program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { forAllTests } from '#test/support/program/scene.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';

const program = await forAllTests(startProgram({ SANDPOST_OUTBOUND: 'public' }));
// The stranger is made first, so that ids of the two never meet.
const stranger = await createUser(program);
await deliverOne(program, { to: stranger.address, attachments: [{ filename: 'a.txt', content: 'a' }] });
const owner = await createUser(program);
const messageId: number = await deliverOne(program, {
  to: owner.address,
  subject: 'top secret',
  attachments: [{ filename: 'secret.txt', content: 'secret' }],
});

/** Ids of the owner's things by the names of path parameters. */
const things = (): Record<string, number> => ({
  domain_id: owner.domain.id,
  account_id: owner.account.id,
  mailbox_id: owner.inbox,
  message_id: messageId,
  attachment_id: 1,
  token_id: owner.tokenId,
});

/** Bodies that the owner could send. */
const bodies = (): Record<string, unknown> => ({
  updateDomain: { is_active: false },
  moveDomain: { team_id: stranger.id },
  updateAccount: { is_active: false },
  createMailbox: { path: 'Mine' },
  updateMailbox: { path: 'Mine' },
  updateMessage: { is_read: true },
  replaceMessage: { is_read: true },
  moveMessage: { mailbox_id: owner.mailboxes.Trash },
  sendMessage: { to: owner.address },
  authenticateMessage: { client_ip: '192.0.2.1' },
});

type Place = { method: string; path: string; operation: Operation };

async function placesWithIds(): Promise<Place[]> {
  const { document } = await Contract.of(program);
  const places = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations).map(([method, operation]) => ({
      method: method.toUpperCase(),
      path,
      operation,
    })),
  );
  // Segments of a provider's path name nothing here.
  return places.filter(({ path }) => path.startsWith('/api/') && path.includes('{'));
}

const fill = (path: string, ids: Record<string, number>) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(ids[name]));

async function call(user: User, { method, path, operation }: Place, ids: Record<string, number>) {
  return user.api.call(method, fill(path, ids), { json: bodies()[operation.operationId] });
}

/** Reads everything that the owner can see, to be compared afterwards. */
async function snapshot(): Promise<Json> {
  const seen = [];
  for (const path of ['/api/domains', '/api/accounts', '/api/messages', `/api/messages/${messageId}`]) {
    seen.push(await ok(owner.api.get(path)));
  }
  return seen;
}

test('no operation lets a stranger see or change another’s things: the same 404 as for missing ones', async () => {
  const before = await snapshot();
  const missing = Object.fromEntries(Object.keys(things()).map((name) => [name, 987_654]));
  for (const place of await placesWithIds()) {
    const foreign = await call(stranger, place, things());
    assert.equal(foreign.status, 404, `${place.method} ${place.path}`);
    const absent = await call(stranger, place, missing);
    assert.equal(absent.status, 404);
    const comparable = ({ json }: { json: Json }) => ({ ...json, request_id: '' });
    assert.deepEqual(comparable(foreign), comparable(absent), 'the two are never told apart');
  }
  assert.deepEqual(await snapshot(), before);
  assert.equal((await owner.api.get('/api/tokens')).status, 200, 'the key still works');
});

test('one foreign id among own ones is 404 too', async () => {
  const own: Record<string, number> = {
    ...things(),
    domain_id: stranger.domain.id,
    account_id: stranger.account.id,
    mailbox_id: stranger.inbox,
  };
  for (const place of await placesWithIds()) {
    const names = [...place.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name ?? '');
    for (const name of names.filter((candidate) => candidate !== 'attachment_id')) {
      const ids = { ...own, message_id: 1, [name]: things()[name] ?? 0 };
      const { status } = await call(stranger, place, ids);
      assert.equal(status, 404, `${place.method} ${place.path} with the other's ${name}`);
    }
  }
});

test('lists, filters and waits of a stranger contain nothing of the owner’s', async () => {
  const queries = [
    '/api/domains',
    `/api/domains?domain=${owner.domain.domain}`,
    '/api/accounts',
    `/api/accounts?address=${owner.address}`,
    '/api/messages',
    '/api/messages?q=secret',
    `/api/messages?to=${owner.address}&wait=0`,
    '/api/messages?subject=top%20secret&wait=1&since=0',
    '/api/tokens',
    '/api/events?once=1',
    `/api/events?once=1&account_id=${owner.account.id}`,
  ];
  for (const query of queries) {
    const { status, body } = await stranger.api.get(query);
    assert.equal(status, 200, query);
    for (const secret of ['secret', owner.domain.domain, owner.address, owner.email]) {
      assert.ok(!body.toString().includes(secret), `${query} tells ${secret}`);
    }
  }
});

test('streams of a stranger contain no event of the owner’s', async () => {
  await using watching = await EventReader.open(
    stranger.api,
    `?types=message.received,message.deleted,message.updated`,
  );
  await using peeping = await EventReader.open(
    stranger.api,
    `?account_id=${owner.account.id}&last_event_id=0`,
  );
  const id = await deliverOne(program, { to: owner.address, subject: 'top secret' });
  await ok(owner.api.patch(`/api/messages/${id}`, { seen: true }));
  await ok(owner.api.delete(`/api/messages/${id}`));
  const own = await deliverOne(program, { to: stranger.address, subject: 'mine' });
  const events = await watching.count(1);
  assert.deepEqual(
    events.map(({ data }) => data.id),
    [own],
  );
  assert.deepEqual(peeping.events, []);
});
