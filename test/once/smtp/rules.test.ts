import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HttpClient, Json } from '#test/support/clients/http.ts';
import { EventReader } from '#test/support/clients/http-events.ts';
import { deliver, deliverOne, transmit } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { createTeam } from '#test/support/program/team.ts';
import { ok } from '#test/support/program/user.ts';

const { program, user: ada } = await scene();

const rule = async (api: HttpClient, words: object): Promise<number> =>
  (await ok(api.post('/api/rules', { name: 'a rule', q: 'smaller:1G', ...words }))).id;

/** Returns a rule's counts. */
async function counts(api: HttpClient, id: number): Promise<[number, number]> {
  const { matched, discarded } = await ok(api.get(`/api/rules/${id}`));
  return [matched, discarded];
}

const listed = async (api: HttpClient): Promise<Json[]> => (await ok(api.get('/api/messages'))).items;

test('rules give new mail its mailbox, flags and expiry before anybody sees it', async () => {
  const { api, address, account, inbox, mailboxes } = await createTeam(program, ada, 'sorting');
  const early = await deliverOne(program, { to: address, subject: 'A receipt' });
  const first = await rule(api, { q: 'subject:receipt', mailbox: 'Receipts', is_read: true });
  const second = await rule(api, { q: 'receipt', mailbox: 'Trash', is_flagged: true, expires_in: 3600 });
  await using stream = await EventReader.open(api);
  const other = await deliverOne(program, { to: address, subject: 'Welcome' });
  const sorted = await deliverOne(program, { to: address, subject: 'Another RECEIPT' });
  const message = await ok(api.get(`/api/messages/${sorted}`));
  assert.deepEqual([message.is_read, message.is_flagged, message.auto_delete], [true, true, true]);
  assert.equal(Date.parse(message.expires_at) - Date.parse(message.received_at), 3_600_000);
  const { items: paths } = await ok(api.get(`/api/accounts/${account.id}/mailboxes`));
  const made = paths.find(({ path }: Json) => path === 'Receipts');
  assert.equal(message.mailbox_id, made.id);
  assert.deepEqual([made.isSystem, made.totalMessages, made.totalUnreadMessages], [false, 1, 0]);
  const frames = await stream.count(2);
  assert.deepEqual(
    frames.map(({ data }: Json) => [data.id, data.mailbox_id]),
    [
      [other, inbox],
      [sorted, made.id],
    ],
  );
  for (const id of [early, other]) {
    const left = await ok(api.get(`/api/messages/${id}`));
    assert.deepEqual([left.mailbox_id, left.is_read, left.expires_at], [inbox, false, null]);
  }
  assert.deepEqual(
    [await counts(api, first), await counts(api, second)],
    [
      [1, 0],
      [1, 0],
    ],
  );

  // The path also matches in another case, and a changed rule applies to the next email.
  await ok(api.patch(`/api/rules/${first}`, { mailbox: 'RECEIPTS' }));
  const again = await deliverOne(program, { to: address, subject: 'Receipt' });
  assert.equal((await ok(api.get(`/api/messages/${again}`))).mailbox_id, made.id);
  await ok(api.delete(`/api/rules/${first}`));
  const last = await deliverOne(program, { to: address, subject: 'Receipt' });
  assert.equal((await ok(api.get(`/api/messages/${last}`))).mailbox_id, mailboxes.Trash);
  await ok(api.patch(`/api/rules/${second}`, { is_active: false }));
  const plain = await deliverOne(program, { to: address, subject: 'Receipt' });
  assert.equal((await ok(api.get(`/api/messages/${plain}`))).mailbox_id, inbox);
});

test('rules add tags to those of the mail', async () => {
  const { api, address } = await createTeam(program, ada, 'tagging');
  await rule(api, { q: 'header:x-run=7', tags: ['smoke', 'Nightly'] });
  await rule(api, { q: 'hello', tags: ['greeting'] });
  const raw = 'X-Tags: Smoke\r\nX-Run: 7\r\nSubject: Hello\r\n\r\nHello\r\n';
  const id = await deliverOne(program, { to: address, raw });
  assert.deepEqual((await ok(api.get(`/api/messages/${id}`))).tags, ['Smoke', 'Nightly', 'greeting']);
});

test('a rule discards all mail: 250, and nothing of it is left but the count', async () => {
  const { api, address, account } = await createTeam(program, ada, 'discarding');
  const id = await rule(api, { discard: true });
  const later = await rule(api, {});
  const used = async () => (await ok(api.get(`/api/accounts/${account.id}`))).used_bytes;
  const cursor = (await ok(api.get('/api/messages'))).cursor;
  for (const text of ['short', 'long '.repeat(500_000)])
    assert.match(await transmit(program, { to: address, text }), /^250 2\.6\.0 .*discarded/);
  assert.deepEqual(
    [await counts(api, id), await counts(api, later)],
    [
      [2, 2],
      [0, 0],
    ],
  );
  const list = await ok(api.get('/api/messages'));
  assert.deepEqual([list.items, list.cursor, await used()], [[], cursor, 0]);
  await ok(api.patch(`/api/rules/${id}`, { q: 'subject:noise' }));
  const kept = await deliverOne(program, { to: address, subject: 'Signal' });
  const ids = (await listed(api)).map((message) => message.id);
  assert.deepEqual(ids, [kept]);
  assert.deepEqual(await counts(api, id), [2, 2]);
});

test('each team applies its own rules to a mail of two, and each account of a team gets what they say of it', async () => {
  const one = await createTeam(program, ada, 'two-one');
  const two = await createTeam(program, ada, 'two-two');
  const third = await ok(two.api.post('/api/accounts', { address: `third@${two.domain.domain}` }));
  const discarding = await rule(two.api, { q: `address:${two.address}`, discard: true });
  const flagging = await rule(two.api, { q: `address:third+x@${two.domain.domain}`, is_flagged: true });
  const to = [one.address, two.address, `third+x@${two.domain.domain}`];
  const ids = await deliver(program, { to });
  assert.equal(ids.length, 2);
  const [first] = await listed(one.api);
  assert.equal(first?.is_flagged, false);
  const [kept, ...others] = await listed(two.api);
  assert.deepEqual([kept?.account_id, kept?.is_flagged, others], [third.id, true, []]);
  assert.deepEqual(new Set([first?.id, kept?.id]), new Set(ids));
  assert.deepEqual(
    [await counts(two.api, discarding), await counts(two.api, flagging)],
    [
      [1, 1],
      [1, 0],
    ],
  );
  // The rest of the email is complete, and is removed completely.
  const raw = await two.api.get(`/api/messages/${kept?.id}/raw`);
  assert.match(raw.body.toString(), /Hello there/);
  await ok(two.api.delete(`/api/messages/${kept?.id}`));
  assert.match((await one.api.get(`/api/messages/${first?.id}/raw`)).body.toString(), /Hello there/);
});

test('rules are applied to what the API sends, and not to its copy in Sent', async () => {
  const { api, address, account, mailboxes } = await createTeam(program, ada, 'posting');
  const flagging = await rule(api, { is_flagged: true });
  const send = (subject: string) =>
    api.post(`/api/accounts/${account.id}/messages/send`, { to: address, subject });
  const within = async (mailbox: string): Promise<Json[]> =>
    (await ok(api.get(`/api/accounts/${account.id}/mailboxes/${mailboxes[mailbox]}/messages`))).items;
  await send('flagged');
  const [received] = await within('INBOX');
  const [copy] = await within('Sent');
  assert.deepEqual([received?.is_flagged, copy?.is_flagged], [true, false]);
  await ok(api.patch(`/api/rules/${flagging}`, { discard: true }));
  await send('gone');
  const subjects = async (mailbox: string) => (await within(mailbox)).map(({ subject }) => subject);
  assert.deepEqual([await subjects('INBOX'), await subjects('Sent')], [['flagged'], ['gone', 'flagged']]);
});

test('mail that comes while rules change is stored by the rules of one moment', async () => {
  const { api, address } = await createTeam(program, ada, 'changing');
  const id = await rule(api, { q: 'Hello', is_flagged: true, is_read: true });
  const changes = async () => {
    for (let n = 0; n < 10; n += 1) {
      const isOdd = n % 2 === 1;
      await ok(api.patch(`/api/rules/${id}`, { is_flagged: isOdd, is_read: isOdd }));
    }
  };
  const mails = Array.from({ length: 20 }, () => deliverOne(program, { to: address }));
  await Promise.all([changes(), ...mails]);
  const items = await listed(api);
  assert.equal(items.length, 20);
  for (const { is_read, is_flagged } of items) assert.equal(is_read, is_flagged);
  assert.deepEqual(await counts(api, id), [20, 0]);
});
