import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpClient } from '#test/support/clients/http.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { createTeam } from '#test/support/program/team.ts';
import { ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const { program, user: ada } = await scene();

/** Returns the tags that a client sees, each with its count. */
async function tagsOf(api: HttpClient, query = ''): Promise<string[]> {
  const { items } = await ok(api.get(`/api/tags${query}`));
  return items.map(({ name, count }: { name: string; count: number }) => `${name} ${count}`);
}

const tagged = (to: string, tags: string, more = '') =>
  deliverOne(program, { to, raw: `X-Tags: ${tags}\r\n${more}Subject: Hello\r\n\r\nHello\r\n` });

test('tags are counted over all accounts of a team, and follow its messages', async () => {
  const { api, address, account } = await createTeam(program, ada, 'counting');
  const other = await ok(api.post('/api/accounts', { address: address.replace('qa@', 'other@') }));
  assert.deepEqual(await tagsOf(api), []);
  const first = await tagged(address, 'Smoke, nightly');
  await tagged(address, 'smoke');
  const third = await tagged(other.address, 'Smoke, Ünïcode');
  await deliverOne(program, { to: address });
  assert.deepEqual(await tagsOf(api), ['Smoke 3', 'nightly 1', 'Ünïcode 1']);
  const page = await ok(api.get('/api/tags?limit=1&page=2'));
  assert.deepEqual(page, {
    items: [{ name: 'nightly', count: 1 }],
    pagination: { page: 2, limit: 1, per_page: 1, total: 3 },
  });
  await ok(api.patch(`/api/messages/${first}`, { tags: ['money'] }));
  assert.deepEqual(await tagsOf(api), ['Smoke 2', 'money 1', 'Ünïcode 1']);
  await ok(api.patch(`/api/messages/${first}`, { tags: [] }));
  await ok(api.delete(`/api/messages/${third}`));
  assert.deepEqual(await tagsOf(api), ['smoke 1']);
  await ok(api.delete(`/api/accounts/${account.id}`));
  assert.deepEqual(await tagsOf(api), []);
});

test('tags of other teams, of copies in Sent and of expired messages are not counted', async () => {
  const { api, address, account } = await createTeam(program, ada, 'leaving-out');
  const stranger = await createTeam(program, ada, 'strangers');
  await tagged(stranger.address, 'secret');
  await ok(api.post('/api/rules', { name: 'soon', q: 'subject:hello', tags: ['soon'], expires_in: 1 }));
  await ok(api.post('/api/rules', { name: 'sent', q: 'subject:sent', tags: ['sent'] }));
  const expiring = await tagged(address, 'brief');
  await api.post(`/api/accounts/${account.id}/messages/send`, { to: address, subject: 'sent' });
  // The message is invisible starting at the instant that it names.
  await until(async () => (await api.get(`/api/messages/${expiring}`)).status === 404);
  assert.deepEqual(await tagsOf(api), ['sent 1']);
  assert.deepEqual(await tagsOf(stranger.api), ['secret 1']);
});

test('tags that are no texts are refused in plain words', async () => {
  const id = await tagged(ada.address, 'smoke');
  for (const [field, tags] of [
    ['tags.0', [null]],
    ['tags.1', ['a', 1]],
    ['tags.0', [['a']]],
    ['tags.0', [{}]],
  ] as const) {
    const refusals = [
      await ada.api.patch(`/api/messages/${id}`, { tags }),
      await ada.api.post('/api/rules', { name: 'x', q: 'x', tags }),
    ];
    for (const { status, json } of refusals) {
      assert.equal(status, 422);
      assert.deepEqual(json.violations, [{ field, message: 'must be a string' }]);
    }
  }
  assert.deepEqual((await ok(ada.api.get(`/api/messages/${id}`))).tags, ['smoke']);
});
