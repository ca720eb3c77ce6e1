import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliver, deliverOne } from '#test/support/program/program-mail.ts';
import { scene } from '#test/support/program/scene.ts';
import { openLink, pathOf, share } from '#test/support/program/shares.ts';
import { createTeam, join, keyOf, sessionOf } from '#test/support/program/team.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const { program, user } = await scene();
const stranger = await createUser(program);
const open = (path: string, options = {}) => openLink(program, path, options);
const message = await deliverOne(program, { to: user.address, subject: 'Welcome <b>' });
const foreign = await deliverOne(program, { to: stranger.address, subject: 'Foreign' });
const ofMessage = await share(user.api, { message_id: message });

test('a link is made, its address told once, listed and revoked', async () => {
  const { url, path: _, ...listed } = await share(user.api, { messageId: message, expiresIn: 3600 });
  assert.match(url, /^http:\/\/localhost:8080\/s\/[\w-]{43}$/);
  const { items } = await ok(user.api.get('/api/shares'));
  assert.deepEqual(items[0], listed);
  assert.doesNotMatch(JSON.stringify(items), new RegExp(url.slice(-43)));
  assert.equal(Date.parse(listed.expires_at) - Date.parse(listed.created_at), 3_600_000);
  assert.deepEqual([listed.name, listed.created_by, listed.opened_at], ['Welcome <b>', user.email, null]);
  const week = Date.parse(ofMessage.expires_at) - Date.parse(ofMessage.created_at);
  assert.equal(week, 7 * 86_400_000);
  assert.equal((await share(user.api, { message_id: message, expires_in: '30d' })).message_id, message);
  assert.equal((await open(pathOf({ url }))).status, 200);
  assert.equal((await stranger.api.delete(`/api/shares/${listed.id}`)).status, 404);
  assert.deepEqual(await ok(user.api.delete(`/api/shares/${listed.id}`)), { id: listed.id, deleted: true });
  assert.equal((await user.api.delete(`/api/shares/${listed.id}`)).status, 404);
  assert.equal((await open(pathOf({ url }))).status, 404);
  const owner = sessionOf(program, user);
  const entries = (await ok(owner.get('/api/audit-log'))).items.map(
    ({ action, target, actor }: Record<string, string>) => [action, target, actor],
  );
  assert.deepEqual(entries.slice(0, 4), [
    ['share.revoked', 'Welcome <b>', user.email],
    ['share.opened', 'Welcome <b>', 'anyone with the link'],
    ['share.created', 'Welcome <b>', user.email],
    ['share.created', 'Welcome <b>', user.email],
  ]);
});

for (const [why, body] of [
  ['without a target', {}],
  ['with two', { message_id: message, account_id: user.account.id }],
  ['to a stranger’s message', { message_id: foreign }],
  ['to a stranger’s account', { account_id: stranger.account.id }],
  ['to no message', { message_id: 999_999 }],
  ['of no time', { message_id: message, expires_in: 0 }],
  ['of too long a time', { message_id: message, expires_in: 30 * 86_400 + 1 }],
  ['of too many days', { message_id: message, expires_in: '31d' }],
  ['of words', { message_id: message, expires_in: 'a week' }],
  ['of a fraction', { message_id: message, expires_in: 1.5 }],
] as const)
  test(`a link ${why} is refused`, async () => {
    assert.equal((await user.api.post('/api/shares', body)).status, 422);
  });

test('a link ends no later than the key that made it', async () => {
  const soon = new Date(Date.now() + 60_000).toISOString();
  const { api } = await keyOf(program, user.api, { expires_at: soon });
  assert.equal(Date.parse((await share(api, { message_id: message })).expires_at), Date.parse(soon));
});

test('links end with a member who leaves or may only read, with a team that forbids them, and with the account', async () => {
  const team = await createTeam(program, user, 'ending');
  const id = await deliverOne(program, { to: team.address });
  const member = await createUser(program);
  await join(program, team, member, 'member');
  const own = await share(team.api, { message_id: id });
  const statusOf = async ({ path }: { path: string }) => (await open(path)).status;
  const place = `/api/teams/${team.id}/members/${member.id}`;

  const asMember = sessionOf(program, member, team.id);
  const theirs = await share(asMember, { message_id: id });
  await ok(team.api.patch(place, { role: 'viewer' }));
  assert.equal(await statusOf(theirs), 404);
  await ok(team.api.patch(place, { role: 'member' }));
  const later = await share((await keyOf(program, asMember)).api, { account_id: team.account.id });
  assert.equal(await statusOf(later), 200);
  await ok(team.api.delete(place));
  assert.deepEqual([await statusOf(later), await statusOf(own)], [404, 200]);

  const settings = `/api/teams/${team.id}`;
  assert.equal((await ok(team.api.patch(settings, { allows_shares: false }))).allows_shares, false);
  assert.equal(await statusOf(own), 404);
  const refused = await team.api.post('/api/shares', { message_id: id });
  assert.deepEqual([refused.status, refused.json.code], [403, 'shares_forbidden']);
  assert.deepEqual((await ok(team.api.get('/api/shares'))).items, []);
  await ok(team.api.patch(settings, { allowsShares: true, name: 'Renamed' }));
  assert.equal(await statusOf(own), 404);
  const entries = (await ok(team.api.get('/api/audit-log'))).items.map(
    ({ action }: { action: string }) => action,
  );
  assert.deepEqual(entries.slice(0, 3), ['shares.allowed', 'team.renamed', 'shares.forbidden']);

  const last = await share(team.api, { account_id: team.account.id });
  await ok(team.api.delete(`/api/accounts/${team.account.id}`));
  assert.equal(await statusOf(last), 404);
});

test('the link of an account shows no blind recipients, and no copy of what the account sent', async () => {
  const other = await ok(user.api.post('/api/accounts', { address: `secret@${user.address.split('@')[1]}` }));
  const link = await share(user.api, { account_id: user.account.id });
  const asJson = { accept: 'application/json' };
  const blind = other.address.replace('@', '+project@');
  for (const head of ['', 'To: undisclosed-recipients:;\n']) {
    const raw = `From: shop@example.com\n${head}Subject: For you\n\nHello\n`;
    const ids = await deliver(program, { to: [user.address, blind], raw });
    for (const path of [link.path, ...ids.map((id) => `${link.path}/messages/${id}`)])
      for (const options of [asJson, {}]) {
        const { body } = await open(path, options);
        assert.ok(!body.includes('secret'), `${path}: ${body}`);
      }
  }
  const toSelf = { to: user.address, subject: 'Sent' };
  await ok(user.api.post(`/api/accounts/${user.account.id}/messages/send`, toSelf));
  const [sent] = (await ok(user.api.get('/api/messages?mailbox=Sent'))).items;
  const { items } = JSON.parse((await open(link.path, asJson)).body);
  const received = items.find(({ subject }: { subject: string }) => subject === 'Sent');
  assert.notEqual(received.id, sent.id);
  assert.equal((await open(`${link.path}/messages/${received.id}`, asJson)).status, 200);
  assert.equal((await open(`${link.path}/messages/${sent.id}`, asJson)).status, 404);
});
