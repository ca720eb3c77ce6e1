import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { programOfAll } from '#test/support/program/scene.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';

const program = await programOfAll();

const bulk = (user: Pick<User, 'api'>, body: Json): Promise<Json> =>
  ok(user.api.post('/api/messages/bulk', body));
const end = { done: true, cursor: null };
const idsOf = ({ items }: Json): number[] => items.map(({ id }: { id: number }) => id);

test('it acts on exactly what the list with the same q shows, whatever the language says', async () => {
  const user = await createUser(program);
  const ids = [];
  for (const subject of ['Invoice 1', 'Invoice 2', 'Welcome', 'Goodbye'])
    ids.push(await deliverOne(program, { to: user.address, subject }));
  const [first, second] = ids;
  await ok(user.api.patch(`/api/messages/${first}`, { is_read: true, tags: ['paid'] }));
  await bulk(user, { ids: [second], action: 'move', mailbox: 'Trash' });
  await ok(
    user.api.post(`/api/accounts/${user.account.id}/messages/send`, { to: user.address, subject: 'Sent' }),
  );
  const found = async (q: string) =>
    idsOf(await ok(user.api.get(`/api/messages?q=${encodeURIComponent(q)}`)));
  for (const q of [
    ...['', 'invoice', '-invoice', 'invoice OR welcome', 'is:unread', 'tag:paid', '-tag:paid', 'in:trash'],
    ...[
      'in:sent',
      'in:inbox is:unread',
      'subject:sent',
      'newer_than:1d',
      'older_than:1d',
      'domain:nowhere.test',
    ],
    ...[`address:${user.address}`, `account:${user.address} -is:read`],
  ]) {
    const shown = await found(q);
    const asked = { q, action: 'flag' };
    assert.equal((await bulk(user, { ...asked, dry_run: true })).matched, shown.length, q);
    assert.deepEqual(await bulk(user, asked), { matched: shown.length, changed: shown.length, ...end }, q);
    const flagged = [...(await found('is:flagged')), ...(await found('is:flagged in:sent'))];
    assert.deepEqual(flagged.toSorted(), shown.toSorted(), q);
    await bulk(user, { ids: shown, action: 'unflag' });
  }
  // An action that takes its messages out of the list ends all the same.
  assert.deepEqual(await bulk(user, { q: 'is:unread', action: 'read' }), { matched: 4, changed: 4, ...end });
  assert.deepEqual(await bulk(user, { q: 'is:unread', action: 'read' }), { matched: 0, changed: 0, ...end });
  const untag = { q: 'tag:paid', action: 'untag', tag: 'paid' };
  assert.deepEqual(await bulk(user, untag), { matched: 1, changed: 1, ...end });
});
