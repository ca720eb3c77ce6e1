import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { type DnsServer, startDnsServer } from '#test/support/clients/dns-server.ts';
import { EventReader } from '#test/support/clients/http-events.ts';
import { type Program, startProgram } from '#test/support/program/program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

let dns: DnsServer;
let program: Program;
let user: User;

before(async () => {
  dns = await startDnsServer();
  program = await startProgram({
    SANDPOST_DNS_SERVERS: dns.address,
    SANDPOST_MX_INTERVAL: '1',
    SANDPOST_MX_HOSTS: 'mx.here.test, mx2.here.test',
  });
  user = await createUser(program);
});

after(async () => {
  await program.stop();
  await dns.close();
});

const statusOf = async (id: number) => (await ok(user.api.get(`/api/domains/${id}`))).verification_status;

test('a domain is verified when its MX points here, fails when it definitely does not, and comes back', async () => {
  const name = 'mx-story.test';
  const { id, verification_status } = await ok(user.api.post('/api/domains', { domain: name }));
  assert.equal(verification_status, 'pending');
  await until(async () => (await statusOf(id)) === 'failed');

  dns.zones[name] = {
    MX: [
      [20, 'elsewhere.test'],
      [10, 'MX2.here.test'],
    ],
    ttl: 0,
  };
  await until(async () => (await statusOf(id)) === 'verified');
  const verified = await ok(user.api.get(`/api/domains/${id}`));
  assert.deepEqual([verified.mx_verified, verified.verification_source], [true, 'mx']);
  assert.ok(verified.last_checked_at);

  dns.misbehaviour.set(name, 'SERVFAIL');
  await until(async () =>
    /SERVFAIL/i.test((await ok(user.api.get(`/api/domains/${id}`))).verification_detail),
  );
  assert.equal(await statusOf(id), 'verified', 'an answer that cannot be relied on changes nothing');

  dns.misbehaviour.delete(name);
  dns.zones[name] = { MX: [[10, 'elsewhere.test']], ttl: 0 };
  await until(async () => (await statusOf(id)) === 'failed');
  const lost = await ok(user.api.get(`/api/domains/${id}`));
  assert.equal(lost.mx_verified, false);
  assert.match(lost.verification_detail, /elsewhere\.test/);
});

test('a domain vouched for by hand is not asked about, and is again once that is taken back', async () => {
  const name = 'by-hand.test';
  const { id } = await ok(user.api.post('/api/domains', { domain: name, mx_verified: true }));
  const handed = await ok(user.api.patch(`/api/domains/${id}`, { mx_verified: false }));
  assert.equal(handed.verification_status, 'pending');
  await until(() => dns.questions.includes(`MX ${name}`));
});

test('an expired message is gone at its instant, and its removal gives an event and the bytes back', async () => {
  const id = await deliverOne(program, { to: user.address, subject: 'short-lived' });
  await using stream = await EventReader.open(user.api, '?types=message.deleted');
  const expires = Date.now() + 4000;
  await ok(user.api.patch(`/api/messages/${id}`, { expires_at: new Date(expires).toISOString() }));
  await until(async () => (await user.api.get(`/api/messages/${id}`)).status === 404);
  assert.ok(Date.now() >= expires);
  await stream.until(() => stream.events.some(({ data }) => data.id === id));
  assert.equal((await ok(user.api.get(`/api/accounts/${user.account.id}`))).used_bytes, 0);
});

test('each message of a deleted domain has its own event', async () => {
  const { id } = await ok(user.api.post('/api/domains', { domain: 'cascade.test', mx_verified: true }));
  await ok(user.api.post('/api/accounts', { address: '*@cascade.test' }));
  const ids = [];
  for (const local of ['a', 'b', 'c']) ids.push(await deliverOne(program, { to: `${local}@cascade.test` }));
  await using stream = await EventReader.open(user.api);
  await ok(user.api.delete(`/api/domains/${id}`));
  await stream.until(() => stream.events.length === 3);
  assert.deepEqual(
    new Set(stream.events.map(({ event, data }) => `${event} ${data.id}`)),
    new Set(ids.map((one) => `message-deleted ${one}`)),
  );
});
