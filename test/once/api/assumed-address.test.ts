import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { deliver } from '#test/support/program/program-mail.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';

const address = '203.0.113.7';
const mail = await startMailProgram(undefined, {
  'assumed.example': { TXT: [`v=spf1 ip4:${address} -all`] },
});
const user = mail.user;

const set = (assumed_client_ip: unknown, { api, domain } = user) =>
  api.patch(`/api/domains/${domain.id}`, { assumed_client_ip });

async function receive(...users: User[]) {
  const to = users.map(({ address }) => address);
  const ids = await deliver(mail.program, { to, from: 'news@assumed.example' });
  const messages = users.map(({ api }, at) => ok(api.get(`/api/messages/${ids[at]}`)));
  return Promise.all(messages);
}

type Check = { id: string; detail: string };
const assumptionOf = ({ audit }: { audit: { checks: { info: Check[] } } }) =>
  audit.checks.info.find(({ id }) => id === 'spf-assumed-address')?.detail;

test('a domain has no assumed address until it gets one, and null takes it away', async () => {
  const domain = `more.${user.domain.domain}`;
  const made = await ok(user.api.post('/api/domains', { domain }));
  assert.equal(made.assumed_client_ip, null);
  const path = `/api/domains/${made.id}`;
  const changed = await ok(user.api.patch(path, { assumedClientIp: '2001:db8::1' }));
  assert.equal(changed.assumed_client_ip, '2001:db8::1');
  assert.equal((await ok(user.api.get(path))).assumed_client_ip, '2001:db8::1');
  assert.equal((await ok(user.api.patch(path, { is_active: false }))).assumed_client_ip, '2001:db8::1');
  assert.equal((await ok(user.api.patch(path, { assumed_client_ip: null }))).assumed_client_ip, null);
  await ok(user.api.delete(path));
  const again = await ok(user.api.post('/api/domains', { domain, assumed_client_ip: address }));
  assert.equal(again.assumed_client_ip, address);
  const { items } = await ok(user.api.get(`/api/domains?domain=${domain}`));
  assert.equal(items[0].assumed_client_ip, address);
});

test('what is no IP address is refused, and changes nothing', async () => {
  for (const wrong of ['', 'assumed.example', '10.0.0.256', '10.0.0.0/8', '::1%lo', '010.1.1.1', 7, {}]) {
    const { status, json } = await set(wrong);
    assert.deepEqual([status, json.violations?.[0]?.field], [422, 'assumed_client_ip'], String(wrong));
  }
  const made = await user.api.post('/api/domains', { domain: 'x.test', assumed_client_ip: 'x' });
  assert.equal(made.status, 422);
  assert.equal((await ok(user.api.get(`/api/domains/${user.domain.id}`))).assumed_client_ip, null);
});

test('SPF at delivery is that of the assumed address, and the message says so', async () => {
  const [real] = await receive(user);
  assert.equal(real.spf.result, 'fail');
  assert.equal(assumptionOf(real), undefined);
  await ok(set(address));
  const [assumed] = await receive(user);
  assert.equal(assumed.spf.result, 'pass');
  assert.match(assumed.spf.explanation, /; the client address 203\.0\.113\.7 is assumed$/);
  assert.match(assumptionOf(assumed) ?? '', /as if 203\.0\.113\.7 had sent this message/);
  assert.equal(assumed.envelope.remote_address, '127.0.0.1');
  await ok(set(null));
  assert.equal((await receive(user))[0].spf.result, 'fail');
});

test('no team decides what another sees: a mail for both has its real address', async () => {
  const other = await createUser(mail.program);
  await ok(set(address));
  for (const message of await receive(user, other)) {
    assert.equal(message.spf.result, 'fail');
    assert.equal(assumptionOf(message), undefined);
  }
  await ok(set(address, other));
  for (const message of await receive(user, other)) assert.equal(message.spf.result, 'pass');
});
