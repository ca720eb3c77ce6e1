import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { EventReader } from '#test/support/clients/http-events.ts';
import { deliver, deliverOne } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, idsOf, ok, type User } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const program = await programOfAll();

const bulk = (user: Pick<User, 'api'>, body: Json): Promise<Json> =>
  ok(user.api.post('/api/messages/bulk', body));
const end = { done: true, cursor: null };
const messagesOf = ({ account }: User, mailbox: number | undefined) =>
  `/api/accounts/${account.id}/mailboxes/${mailbox}/messages`;

/** Delivers emails with these subjects, and returns their IDs. */
async function deliverAll(user: User, ...subjects: string[]): Promise<number[]> {
  const ids = [];
  for (const subject of subjects) ids.push(await deliverOne(program, { to: user.address, subject }));
  return ids;
}

/** Checks that the counts of mailboxes and accounts match the messages. */
async function checkCounts(user: User): Promise<void> {
  const { items } = await ok(user.api.get('/api/accounts'));
  for (const account of items) {
    let bytes = 0;
    for (const mailbox of account.mailboxes) {
      const list = await ok(
        user.api.get(`/api/accounts/${account.id}/mailboxes/${mailbox.id}/messages?limit=200`),
      );
      assert.equal(list.pagination.total, list.items.length);
      assert.equal(mailbox.totalMessages, list.items.length, mailbox.path);
      const unread = list.items.filter((item: Json) => !item.is_read).length;
      assert.equal(mailbox.totalUnreadMessages, unread, mailbox.path);
      for (const { size_bytes } of list.items) bytes += size_bytes;
    }
    assert.equal(account.used_bytes, bytes);
  }
}

test('each action changes what q finds, and nothing else; once more it changes nothing', async () => {
  const user = await createUser(program);
  const [first = 0, second = 0, other = 0] = await deliverAll(user, 'Invoice 1', 'Invoice 2', 'Welcome');
  const states = async () =>
    Promise.all(
      [first, second, other].map(async (id) => {
        const { is_read, is_flagged, mailbox_id } = await ok(user.api.get(`/api/messages/${id}`));
        return [is_read, is_flagged, mailbox_id === user.inbox];
      }),
    );
  const untouched = [false, false, true];
  const cases: [Json, [boolean, boolean, boolean]][] = [
    [{ action: 'read' }, [true, false, true]],
    [{ action: 'flag' }, [true, true, true]],
    [{ action: 'unread' }, [false, true, true]],
    [{ action: 'unflag' }, untouched as [boolean, boolean, boolean]],
    [{ action: 'move', mailbox: 'trash' }, [false, false, false]],
  ];
  for (const [action, state] of cases) {
    const asked = { q: 'invoice', ...action };
    assert.deepEqual(await bulk(user, { ...asked, dry_run: true }), { matched: 2, changed: 0, ...end });
    assert.deepEqual(await bulk(user, asked), { matched: 2, changed: 2, ...end });
    assert.deepEqual(await states(), [state, state, untouched]);
    assert.deepEqual(await bulk(user, asked), { matched: 2, changed: 0, ...end }, 'again');
    await checkCounts(user);
  }
  assert.deepEqual(idsOf(await ok(user.api.get(messagesOf(user, user.mailboxes.Trash)))), [second, first]);
  assert.deepEqual(await bulk(user, { q: 'invoice', action: 'delete', dryRun: true }), {
    matched: 2,
    changed: 0,
    ...end,
  });
  assert.deepEqual(await bulk(user, { q: 'invoice', action: 'delete' }), { matched: 2, changed: 2, ...end });
  assert.deepEqual(await bulk(user, { q: 'invoice', action: 'delete' }), { matched: 0, changed: 0, ...end });
  assert.deepEqual(idsOf(await ok(user.api.get('/api/messages'))), [other]);
  await checkCounts(user);
});

test('tags are added and taken off', async () => {
  const user = await createUser(program);
  const [first = 0, second = 0, other = 0] = await deliverAll(user, 'Invoice 1', 'Invoice 2', 'Welcome');
  await ok(user.api.patch(`/api/messages/${first}`, { tags: ['a', 'Smoke'] }));
  const full = Array.from({ length: 20 }, (_, i) => `tag ${i}`);
  await ok(user.api.patch(`/api/messages/${other}`, { tags: full }));
  const tags = async () =>
    Promise.all(
      [first, second, other].map(async (id) => (await ok(user.api.get(`/api/messages/${id}`))).tags),
    );
  const tag = { q: '', action: 'tag', tag: ' smoke ' };
  assert.deepEqual(await bulk(user, tag), { matched: 3, changed: 1, ...end });
  assert.deepEqual(await tags(), [['a', 'Smoke'], ['smoke'], full]);
  assert.deepEqual(await bulk(user, tag), { matched: 3, changed: 0, ...end });
  assert.deepEqual(await bulk(user, { ...tag, action: 'untag' }), { matched: 3, changed: 2, ...end });
  assert.deepEqual(await tags(), [['a'], [], full]);
  await checkCounts(user);
});

test('it acts on the messages of the list: of one account or mailbox, without copies and expired ones', async () => {
  const user = await createUser(program);
  const second = await ok(user.api.post('/api/accounts', { address: `second@${user.domain.domain}` }));
  await ok(
    user.api.post(`/api/accounts/${user.account.id}/messages/send`, { to: second.address, subject: 'Sent' }),
  );
  const [kept = 0, expired = 0] = await deliverAll(user, 'Kept', 'Expired');
  const expires_at = new Date(Date.now() + 400).toISOString();
  await ok(user.api.patch(`/api/messages/${expired}`, { expires_at }));
  await until(async () => (await user.api.get(`/api/messages/${expired}`)).status === 404);
  const place = { account_id: user.account.id };
  assert.equal((await bulk(user, { q: '', ...place, action: 'read', dry_run: true })).matched, 1);
  assert.equal((await bulk(user, { q: '', action: 'read', dry_run: true })).matched, 2);
  const sent = { ...place, mailbox_id: user.mailboxes.Sent };
  assert.equal((await bulk(user, { q: '', ...sent, action: 'flag', dry_run: true })).matched, 1);
  const asked = { q: '', mailbox_id: user.inbox, action: 'flag' };
  assert.deepEqual(await bulk(user, asked), { matched: 1, changed: 1, ...end });
  assert.deepEqual(await bulk(user, { q: '', ...place, action: 'delete' }), {
    matched: 1,
    changed: 1,
    ...end,
  });
  assert.equal((await user.api.get(`/api/messages/${kept}`)).status, 404);
  const [copy] = idsOf(await ok(user.api.get(messagesOf(user, user.mailboxes.Sent))));
  assert.ok(copy, 'the copy in Sent stays');
  assert.deepEqual(await bulk(user, { ids: [copy], action: 'delete' }), { matched: 1, changed: 1, ...end });
});

test('ids are those of own messages: unknown and foreign ones are not counted', async () => {
  const [user, stranger] = [await createUser(program), await createUser(program)];
  const [first = 0, second = 0] = await deliverAll(user, 'one', 'two');
  const [foreign = 0] = await deliverAll(stranger, 'theirs');
  const ids = [second, first, first, foreign, 987_654_321];
  assert.deepEqual(await bulk(user, { ids, action: 'flag' }), { matched: 2, changed: 2, ...end });
  assert.deepEqual(await bulk(user, { ids, mailbox_id: user.mailboxes.Trash, action: 'delete' }), {
    matched: 0,
    changed: 0,
    ...end,
  });
  for (const place of [{ account_id: stranger.account.id }, { mailbox_id: stranger.inbox }]) {
    assert.deepEqual(await bulk(user, { q: '', ...place, action: 'delete' }), {
      matched: 0,
      changed: 0,
      ...end,
    });
  }
  assert.deepEqual(
    await bulk(user, { ids: [first, foreign], account_id: user.account.id, action: 'delete' }),
    {
      matched: 1,
      changed: 1,
      ...end,
    },
  );
  const theirs = await ok(stranger.api.get(`/api/messages/${foreign}`));
  assert.deepEqual([theirs.is_flagged, theirs.mailbox_id], [false, stranger.inbox]);
  assert.deepEqual(idsOf(await ok(user.api.get('/api/messages'))), [second]);
});

test('a move goes to the path in the account of each message', async () => {
  const user = await createUser(program);
  const second = await ok(user.api.post('/api/accounts', { address: `second@${user.domain.domain}` }));
  const made = await ok(user.api.post(`/api/accounts/${user.account.id}/mailboxes`, { path: 'Old' }));
  const [mine = 0] = await deliver(program, { to: user.address, subject: 'a' });
  const [other = 0] = await deliver(program, { to: second.address, subject: 'b' });
  assert.deepEqual(await bulk(user, { q: '', action: 'move', mailbox: 'old' }), {
    matched: 2,
    changed: 1,
    ...end,
  });
  assert.equal((await ok(user.api.get(`/api/messages/${mine}`))).mailbox_id, made.id);
  const { mailbox_id } = await ok(user.api.get(`/api/messages/${other}`));
  assert.ok(second.mailboxes.some(({ id, path }: Json) => id === mailbox_id && path === 'INBOX'));
  await checkCounts(user);
  const nowhere = await user.api.post('/api/messages/bulk', { q: '', action: 'move', mailbox: 'Nowhere' });
  assert.deepEqual([nowhere.status, nowhere.json.violations[0].field], [422, 'mailbox']);
  assert.deepEqual(await bulk(user, { ids: [], action: 'move', mailbox: 'Nowhere' }), {
    matched: 0,
    changed: 0,
    ...end,
  });
});

test('an update is one event of each mailbox, and each deletion has its own', async () => {
  const user = await createUser(program);
  const ids = await deliverAll(user, 'one', 'two', 'three');
  await using updates = await EventReader.open(user.api, '?types=message.updated,message.deleted');
  await bulk(user, { q: '', action: 'read' });
  await bulk(user, { q: '', action: 'read' });
  await bulk(user, { ids: ids.slice(0, 1), action: 'flag' });
  await bulk(user, { q: '', action: 'delete' });
  const [first = 0, second = 0, third = 0] = ids;
  const place = { account_id: user.account.id, mailbox_id: user.inbox };
  const update = { type: 'message.updated', ...place, is_read: true };
  const deletion = (id: number) => ({ type: 'message.deleted', id, ...place });
  assert.deepEqual(
    (await updates.count(5)).map(({ data }) => data),
    [
      { ...update, id: third, is_flagged: false, ids: [third, second, first] },
      { ...update, id: first, is_flagged: true },
      ...[third, second, first].map(deletion),
    ],
  );
  await using replayed = await EventReader.open(user.api, '?types=message.updated&last_event_id=3');
  assert.deepEqual((await replayed.count(1))[0]?.data.ids, [third, second, first]);
});

test('a wait ends when a bulk change makes enough messages match', async () => {
  const user = await createUser(program);
  await deliverAll(user, 'one', 'two', 'three');
  const waiting = user.api.get('/api/messages?is_flagged=true&count=3&wait=60');
  await bulk(user, { q: '', action: 'flag' });
  const { headers, json } = await waiting;
  assert.equal(headers['x-wait-result'], 'met');
  assert.equal(json.items.length, 3);
});

test('a cursor goes on behind its message; mail that came later is left alone', async () => {
  const user = await createUser(program);
  const [first = 0, second = 0, third = 0] = await deliverAll(user, 'one', 'two', 'three');
  const cursor = `2.${second}`;
  assert.deepEqual(await bulk(user, { q: '', action: 'delete', cursor, dry_run: true }), {
    matched: 1,
    changed: 0,
    ...end,
  });
  assert.deepEqual(await bulk(user, { q: '', action: 'delete', cursor }), { matched: 1, changed: 1, ...end });
  assert.deepEqual(idsOf(await ok(user.api.get('/api/messages'))), [third, second]);
  const asked = { ids: [first, second, third], action: 'delete', cursor: `3.${third}` };
  assert.deepEqual(await bulk(user, asked), { matched: 1, changed: 1, ...end });
  assert.deepEqual(await bulk(user, { q: '', action: 'delete', cursor: null }), {
    matched: 1,
    changed: 1,
    ...end,
  });
});

test('beside deliveries, moves and a removed account, it touches nothing that the list did not show', async () => {
  const user = await createUser(program);
  const doomed = await ok(user.api.post('/api/accounts', { address: `doomed@${user.domain.domain}` }));
  const { id: keep } = await ok(
    user.api.post(`/api/accounts/${user.account.id}/mailboxes`, { path: 'Keep' }),
  );
  const subjects = Array.from({ length: 30 }, (_, i) => `target ${i}`);
  const ids = await deliverAll(user, ...subjects);
  const others = await deliverAll(user, 'other 1', 'other 2');
  await Promise.all(subjects.map((subject) => deliverOne(program, { to: doomed.address, subject })));
  const inbox = messagesOf(user, user.inbox);
  const moves = ids.slice(0, 10).map(async (id) => {
    const { status } = await user.api.put(`${inbox}/${id}/move`, { mailbox_id: keep });
    return status === 200 ? [id] : [];
  });
  const arrivals = 5;
  const changes = [
    bulk(user, { q: 'target', mailbox_id: user.inbox, action: 'delete' }),
    user.api.delete(`/api/accounts/${doomed.id}`),
    bulk(user, { q: 'target', account_id: doomed.id, action: 'flag' }),
    ...Array.from({ length: arrivals }, () =>
      deliverOne(program, { to: user.address, subject: 'new target' }),
    ),
  ];
  const [deleted] = await Promise.all(changes);
  const moved = (await Promise.all(moves)).flat();
  assert.equal(deleted.done, true);
  assert.equal(deleted.changed, deleted.matched);
  const kept = idsOf(await ok(user.api.get(messagesOf(user, keep))));
  assert.deepEqual(kept.toSorted(), moved.toSorted());
  const left = idsOf(await ok(user.api.get(inbox)));
  for (const id of others) assert.ok(left.includes(id));
  // Mail that arrived before the start is deleted, and later mail is left alone.
  const { items } = await ok(user.api.get(`${inbox}?q=target`));
  const came = items.filter(({ subject }: Json) => subject === 'new target');
  assert.equal(items.length, came.length, 'each target was either moved or deleted');
  assert.equal(deleted.changed, ids.length - moved.length + (arrivals - came.length));
  await checkCounts(user);
});
