import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliver, deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { ok } from '#test/support/program/user.ts';

/**
 * Cases from Mailpit's tests that change messages: deleting and marking search results, and tags. Here, one email to a hundred accounts
 * produces as many messages as a hundred emails there.
 */
const { program, user } = await scene();
const everybody: string[] = Array.from({ length: 100 }, (_, index) => `u${index}@${user.domain.domain}`);
for (const address of everybody) await ok(user.api.post('/api/accounts', { address }));

const total = async (q: string): Promise<number> =>
  (await ok(user.api.get(`/api/messages?limit=1&q=${encodeURIComponent(q)}`))).pagination.total;
const bulk = (q: string, action: string) => ok(user.api.post('/api/messages/bulk', { q, action }));

for (const count of [100, 1100]) {
  test(`${count} messages that a search finds are marked, and deleted, and no others`, async () => {
    const q = `from:sender-${count}@example.com`;
    const given = { to: everybody, subject: 'Of many' };
    for (let sent = 0; sent < count; sent += everybody.length)
      await deliver(program, { ...given, from: `sender-${count}@example.com` });
    await deliver(program, { ...given, from: 'another@example.com' });
    const others = await total(`-${q}`);
    assert.equal(await total(q), count);
    for (const [action, unread] of [
      ['read', 0],
      ['unread', count],
    ] as const) {
      await bulk(q, action);
      assert.equal(await total(`is:unread ${q}`), unread);
      assert.equal(await total(`is:unread -${q}`), others);
    }
    await bulk(q, 'delete');
    assert.deepEqual([await total(q), await total(`-${q}`)], [0, others]);
  });
}

const long = 'this is a long tag title with more than 100 characters '.repeat(2);

/** Given tags, Mailpit's resulting tags, and the tags that a message has here: null if they are refused, and why. */
const cases: [given: string[], mailpit: string[], here: string[] | null, why?: string][] = [
  [['Tag-1'], ['Tag-1'], ['Tag-1']],
  [['Duplicate Tag', 'Duplicate Tag'], ['Duplicate Tag'], ['Duplicate Tag']],
  [['thiS IS a Test'], ['thiS IS a Test'], ['thiS IS a Test']],
  [['this_is-a test '], ['this_is-a test'], ['this_is-a test']],
  [[], [], []],
  [['Dirty! "Tag"'], ['Dirty Tag'], ['Dirty! "Tag"'], 'A tag is kept as it was given'],
  [['Test :-)'], ['Test -'], ['Test :-)'], 'A tag is kept as it was given'],
  [['a  b'], ['a b'], ['a  b'], 'A tag is kept as it was given'],
  [[long], [long.slice(0, 100)], null, 'A tag that is too long is refused, and not cut'],
];
for (const [given, mailpit, here, why] of cases) {
  test(`tags ${JSON.stringify(given).slice(0, 40)}: ${why ?? 'the same as in Mailpit'}`, async () => {
    assert.equal(JSON.stringify(mailpit) === JSON.stringify(here), why === undefined);
    const id = await deliverOne(program, { to: user.address, subject: 'To be tagged' });
    const { status, json } = await user.api.patch(`/api/messages/${id}`, { tags: given });
    assert.equal(status, here === null ? 422 : 200);
    if (here === null) return;
    assert.deepEqual(json.tags, here);
    for (const tag of here) assert.equal(await total(`tag:"${tag.replaceAll('"', '\\"')}"`), 1, tag);
    await ok(user.api.patch(`/api/messages/${id}`, { tags: [] }));
    for (const tag of here) assert.equal(await total(`tag:"${tag.replaceAll('"', '\\"')}"`), 0, tag);
  });
}

test('twenty tags are set, and one is taken off', async () => {
  const id = await deliverOne(program, { to: user.address });
  const tags = Array.from({ length: 20 }, (_, index) => `AnotherTag ${`${index}`.padStart(2, '0')}`);
  await ok(user.api.patch(`/api/messages/${id}`, { tags }));
  await ok(user.api.post('/api/messages/bulk', { ids: [id], action: 'untag', tag: 'anothertag 00' }));
  assert.deepEqual((await ok(user.api.get(`/api/messages/${id}`))).tags, tags.slice(1));
});
