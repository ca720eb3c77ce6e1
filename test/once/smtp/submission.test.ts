import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Json } from '#test/support/clients/http.ts';
import { signedInClient } from '#test/support/clients/smtp-auth.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { createUser, ok } from '#test/support/program/user.ts';

/** Address of an account with a password, which the user of `mail` owns. */
let inbox: { id: number; address: string };
const password = 'staging mail';
const mail = await startMailProgram();
const other = await createUser(mail.program);
const address = `inbox@${mail.user.domain.domain}`;
inbox = await ok(mail.user.api.post('/api/accounts', { address, password }));

const message = 'Subject: hello\r\n\r\nworld\r\n';
const signedIn = (userName: string, secret: string) =>
  signedInClient(mail.program.smtpPort, userName, secret);

/** Sends an email and returns its messages as their user sees them, by account address. */
async function sent(client: SmtpClient, ...to: string[]): Promise<Record<string, Json>> {
  const ids = mail.idsOf(await client.send('shop@example.com', to, message));
  const messages = await Promise.all(ids.map((id) => ok(mail.user.api.get(`/api/messages/${id}`))));
  const accounts = await ok(mail.user.api.get('/api/accounts?limit=200'));
  const addressOf = (id: number) => accounts.items.find((account: Json) => account.id === id).address;
  return Object.fromEntries(messages.map((found) => [addressOf(found.account_id), found]));
}

const capture = (is_capture: boolean, id = inbox.id) =>
  ok(mail.user.api.patch(`/api/accounts/${id}`, { is_capture }));

test('an account that signs in takes what is written to others, as one message', async () => {
  const client = await signedIn(inbox.address, password);
  const to = ['alice@gmail.com', other.address, `nobody@${mail.user.domain.domain}`, 'bob+t@[192.0.2.1]'];
  const found = await sent(client, ...to);
  assert.deepEqual(Object.keys(found), [inbox.address]);
  const { envelope, delivered_to } = found[inbox.address] ?? {};
  assert.equal(delivered_to, 'alice@gmail.com');
  assert.deepEqual(envelope.rcpt_to, to);
  assert.deepEqual(envelope.authenticated_as, { kind: 'account', name: inbox.address });
  client.destroy();
});

test('addresses of the same user get their mail, beside what is captured', async () => {
  const client = await signedIn(inbox.address, password);
  const { address } = mail.user;
  const found = await sent(client, 'alice@gmail.com', address, other.address);
  assert.deepEqual(Object.keys(found).sort(), [inbox.address, address].sort());
  for (const { envelope } of Object.values(found))
    assert.deepEqual(envelope.rcpt_to, ['alice@gmail.com', address, other.address]);
  assert.equal(found[address]?.delivered_to, address);
  client.destroy();
});

test('mail of a submitter never reaches another user', async () => {
  const client = await signedIn(inbox.address, password);
  await ok(other.api.patch(`/api/accounts/${other.account.id}`, { is_active: false }));
  await sent(client, other.address);
  await ok(other.api.patch(`/api/accounts/${other.account.id}`, { is_active: true }));
  await sent(client, other.address);
  assert.equal((await ok(other.api.get('/api/messages'))).pagination.total, 0);
  client.destroy();
});

test('an address that goes to another user takes its session with it nowhere', async () => {
  const { domain } = await ok(
    mail.user.api.post('/api/domains', { domain: 'moving.test', mx_verified: true }),
  );
  const address = `app@${domain}`;
  await ok(mail.user.api.post('/api/accounts', { address, password }));
  const client = await signedIn(address, password);
  assert.match(await client.command('MAIL FROM:<s@s.test>'), /^250/);
  const { items } = await ok(mail.user.api.get('/api/domains?limit=200'));
  const { id } = items.find((found: Json) => found.domain === domain);
  await ok(mail.user.api.delete(`/api/domains/${id}`));
  await ok(other.api.post('/api/domains', { domain, mx_verified: true }));
  await ok(other.api.post('/api/accounts', { address, password }));
  assert.match(await client.command('RCPT TO:<alice@gmail.com>'), /^5[35]0 /);
  client.destroy();
});

test('a MAIL of a session that has ended leaves nothing for the next one', async () => {
  const { id, key } = await ok(mail.user.api.post('/api/tokens', { name: 'short' }));
  const client = await signedIn('apikey', key);
  await ok(mail.user.api.delete(`/api/tokens/${id}`));
  const parameters = 'BODY=BINARYMIME RET=FULL ENVID=left';
  for (let reply = '250'; reply.startsWith('250'); ) {
    reply = await client.command(`MAIL FROM:<s@s.test> ${parameters}`);
    if (reply.startsWith('250')) await client.command('RSET');
    else assert.match(reply, /^530 5\.7\.0/);
  }
  const [stored] = mail.idsOf(await client.send('s@s.test', [mail.user.address], message));
  assert.equal((await ok(mail.user.api.get(`/api/messages/${stored}`))).envelope.dsn, null);
  client.destroy();
});

test('with an API key the capture account takes it; without one it is refused', async () => {
  const client = await signedIn('apikey', mail.user.key);
  const refusal = await client.send('shop@example.com', ['alice@gmail.com'], message);
  assert.match(
    refusal,
    /^550 5\.7\.1 <alice@gmail\.com>.* no capture account\. Turn on Capture for an account /,
  );
  assert.deepEqual(Object.keys(await sent(client, mail.user.address)), [mail.user.address]);
  await capture(true);
  const found = await sent(client, 'alice@gmail.com', other.address);
  assert.deepEqual(Object.keys(found), [inbox.address]);
  assert.deepEqual(found[inbox.address]?.envelope.authenticated_as, { kind: 'api_key', name: 'tests' });
  await capture(false);
  client.destroy();
});

test('an account that is not active or full is refused as usual, and named', async () => {
  const client = await signedIn(inbox.address, password);
  const path = `/api/accounts/${inbox.id}`;
  const send = (to: string) => client.send('shop@example.com', [to], message);
  await ok(mail.user.api.patch(path, { is_active: false }));
  assert.match(await send('alice@gmail.com'), new RegExp(`^450 4\\.2\\.1 <${inbox.address}>`));
  assert.match(await send(inbox.address), /^450 4\.2\.1/);
  await ok(mail.user.api.patch(path, { is_active: true, storage_limit: 1 }));
  assert.match(await send('alice@gmail.com'), new RegExp(`^552 5\\.2\\.2 <${inbox.address}>`));
  await ok(mail.user.api.patch(path, { storage_limit: 100_000_000 }));
  client.destroy();
});

test('a session without AUTH is refused as before', async () => {
  await capture(true);
  const client = await mail.connect();
  const reply = await client.send('shop@example.com', ['alice@gmail.com'], message);
  assert.match(reply, /^550 5\.7\.1 .*not a relay$/);
  await capture(false);
  client.destroy();
});

test('SANDPOST_CAPTURE takes mail for domains that are not registered, and no other, and none for unverified ones', async () => {
  const address = 'all@caught.test';
  await using caught = await startCapturing(address);
  const { program, user } = caught.mail;
  const client = await SmtpClient.open(program.smtpPort);
  const send = (...to: string[]) => client.send('shop@example.com', to, message);
  assert.match(await send('alice@gmail.com'), /^550 5\.7\.1 .*SANDPOST_CAPTURE is registered$/);
  await ok(user.api.post('/api/domains', { domain: 'caught.test', mx_verified: true }));
  const account = await ok(user.api.post('/api/accounts', { address }));
  const [id] = caught.mail.idsOf(await send('alice@gmail.com', 'bob@example.org'));
  const found = await ok(user.api.get(`/api/messages/${id}`));
  assert.equal(found.account_id, account.id);
  assert.deepEqual(found.envelope.rcpt_to, ['alice@gmail.com', 'bob@example.org']);
  assert.equal(found.envelope.authenticated_as, null);
  assert.match(await send('nobody@caught.test'), /^550 5\.1\.1/);
  for (const odd of ['"an odd"@x', 'root', 'a..b.@my_host.test', '"nobody@caught.test"@gmail.com']) {
    const [odds] = caught.mail.idsOf(await send(odd));
    const message = await ok(user.api.get(`/api/messages/${odds}`));
    assert.deepEqual([message.account_id, message.delivered_to], [account.id, odd]);
  }
  assert.match(await send('"nobody else"@caught.test'), /^550 5\.1\.1/);
  const draft = { to: ['alice@gmail.com'], subject: 'x', text: 'x' };
  const refused = await user.api.post(`/api/accounts/${user.account.id}/messages/send`, draft);
  assert.equal(refused.status, 422);

  // SANDPOST_REQUIRE_VERIFIED makes mail wait for its domain to be verified.
  const { id: pending } = await ok(user.api.post('/api/domains', { domain: 'waiting.test' }));
  await ok(user.api.post('/api/accounts', { address: 'a@waiting.test' }));
  assert.match(await send('a@waiting.test'), /^450 4\.7\.1/);
  await ok(user.api.patch(`/api/domains/${pending}`, { mx_verified: true }));
  assert.match(await send('a@waiting.test'), /^250/);
  client.destroy();
});

async function startCapturing(address: string) {
  const started = await startMailProgram({ SANDPOST_CAPTURE: address, SANDPOST_REQUIRE_VERIFIED: 'true' });
  return { mail: started, [Symbol.asyncDispose]: () => started.stop() };
}
