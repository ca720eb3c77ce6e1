import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { ok } from '#test/support/program/user.ts';

const { program, user } = await scene();

const tagsOf = async (id: number) => {
  const { tags } = await ok(user.api.get(`/api/messages/${id}`));
  const { items } = await ok(user.api.get('/api/messages'));
  assert.deepEqual(items.find((item: { id: number }) => item.id === id).tags, tags, 'in the list');
  return tags;
};

test('a message has the tags of its header, until they are changed', async () => {
  const to = user.address;
  const id = await deliverOne(program, { to, headers: { 'X-Tags': 'smoke, Sign up, smoke' } });
  assert.deepEqual(await tagsOf(id), ['smoke', 'Sign up']);
  assert.deepEqual(await tagsOf(await deliverOne(program, { to })), []);
  const changed = await ok(user.api.patch(`/api/messages/${id}`, { tags: ['b', 'a', 'B'] }));
  assert.deepEqual(changed.tags, ['b', 'a']);
  assert.deepEqual(await tagsOf(id), ['b', 'a']);
  await ok(user.api.patch(`/api/messages/${id}`, { is_read: true }));
  assert.deepEqual(await tagsOf(id), ['b', 'a'], 'another change leaves them');
  await ok(user.api.patch(`/api/messages/${id}`, { tags: [] }));
  assert.deepEqual(await tagsOf(id), []);
});

test('a change of tags is told by an event', async () => {
  const id = await deliverOne(program, { to: user.address });
  const { cursor } = await ok(user.api.get('/api/messages'));
  await ok(user.api.patch(`/api/messages/${id}`, { tags: ['a'] }));
  assert.equal((await ok(user.api.get('/api/messages'))).cursor, cursor + 1);
  await ok(user.api.patch(`/api/messages/${id}`, { tags: ['a'] }));
  assert.equal((await ok(user.api.get('/api/messages'))).cursor, cursor + 1, 'the same tags are no change');
});

for (const tags of [
  [''],
  ['  '],
  ['a,b'],
  ['x'.repeat(41)],
  ['a\u0007'],
  Array(21).fill('a'),
  'a',
  [1],
  null,
]) {
  test(`PATCH of tags ${JSON.stringify(tags).slice(0, 40)} is 422`, async () => {
    const id = await deliverOne(program, { to: user.address });
    assert.equal((await user.api.patch(`/api/messages/${id}`, { tags })).status, 422);
  });
}
