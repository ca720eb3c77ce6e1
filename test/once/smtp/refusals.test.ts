import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpClient, type Json } from '#test/support/clients/http.ts';
import { authPlain, connectFromNewHost, signedInClient } from '#test/support/clients/smtp-auth.ts';
import { SmtpClient } from '#test/support/clients/smtp-client.ts';
import { startMailProgram } from '#test/support/program/mail-program.ts';
import { createTeam, keyOf } from '#test/support/program/team.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';

const mail = await startMailProgram();

const message = 'Subject: hello\r\n\r\nworld\r\n';
const newUser = () => createUser(mail.program);
const refusalsOf = (api: HttpClient, query = '?limit=200'): Promise<Json> =>
  ok(api.get(`/api/refusals${query}`));

/** Waits until a client sees some refusals, and returns them as `stage reply`, oldest first. */
async function told(api: HttpClient, count: number): Promise<string[]> {
  let items: Json[] = [];
  await until(async () => {
    ({ items } = await refusalsOf(api));
    return items.length >= count;
  });
  return items.reverse().map(({ stage, reply }) => `${stage} ${reply}`);
}

test('a refused recipient is told to the team of the domain, with all that the sender said', async () => {
  const user = await newUser();
  const nobody = `nobody@${user.domain.domain}`;
  const client = await mail.connect();
  const reply = await client.send('shop@example.com', [nobody], message);
  assert.equal(reply, `550 5.1.1 <${nobody}>: no such account`);
  client.destroy();
  await told(user.api, 1);
  const { items, pagination } = await refusalsOf(user.api, '');
  const [{ id, at, ...rest }] = items;
  assert.ok(Number.isSafeInteger(id) && id > 0);
  assert.ok(Math.abs(Date.parse(at) - Date.now()) < 120_000 && at.endsWith('+00:00'), at);
  assert.deepEqual(rest, {
    remote_address: '127.0.0.1',
    helo: 'client.test',
    mail_from: 'shop@example.com',
    rcpt_to: [nobody],
    authenticated_as: null,
    stage: 'rcpt',
    reply,
    failure_id: null,
    reason: 'no-such-account',
    advice: `The address does not exist on ${user.domain.domain}. Create the account, or a catch-all.`,
  });
  assert.deepEqual(pagination, { page: 1, limit: 50, per_page: 50, total: 1 });
});

test('each cause at RCPT and after the content is told, to each team its own recipients', async () => {
  const [user, other] = [await newUser(), await newUser()];
  const { domain } = user.domain;
  const off = await ok(user.api.post('/api/accounts', { address: `off@${domain}`, is_active: false }));
  const full = await ok(user.api.post('/api/accounts', { address: `full@${domain}`, storage_limit: 1024 }));
  const client = await mail.connect();
  const loop = `${'Received: from x\r\n'.repeat(101)}\r\n`;
  await client.send('s@s.test', [off.address], message);
  await client.command(`MAIL FROM:<s@s.test> SIZE=4000`);
  await client.command(`RCPT TO:<${full.address}>`);
  await client.command('RSET');
  await client.send('s@s.test', [user.address, other.address], loop);
  await client.send('s@s.test', [full.address], `${message}${'x'.repeat(70)}\r\n`.repeat(20));
  await client.send('s@s.test', ['x@unregistered.test'], message);
  assert.deepEqual(await told(user.api, 4), [
    `rcpt 450 4.2.1 <${off.address}>: the account is not active`,
    `rcpt 552 5.2.2 <${full.address}>: the account is full`,
    'end 554 5.4.6 Too many Received fields: the message is in a loop',
    `end 552 5.2.2 <${full.address}>: the account is full`,
  ]);
  assert.deepEqual(await told(other.api, 1), [
    'end 554 5.4.6 Too many Received fields: the message is in a loop',
  ]);
  for (const { api, address } of [user, other]) {
    const { items } = await refusalsOf(api);
    const looped = items.find(({ reason }: Json) => reason === 'mail-loop');
    assert.deepEqual(looped.rcpt_to, [address], 'a recipient of others stays blind');
  }
  await client.begin('s@s.test', [user.address]);
  await client.write('Subject: cut off\r\n');
  client.destroy();
  const [last] = (await told(user.api, 5)).slice(-1);
  assert.equal(last, 'end 421 4.4.2 The connection was lost during DATA');
});

test('what a signed-in client is refused is told to its team, and to no other', async () => {
  const [user, other] = [await newUser(), await newUser()];
  const theirs = `nobody@${other.domain.domain}`;
  const client = await signedInClient(mail.program.smtpPort, '', user.key);
  assert.match(await client.send('s@s.test', [theirs], message), /^550 5\.7\.1/);
  assert.match(await client.command('MAIL FROM:<s@s.test> SIZE=99999999999'), /^552 5\.3\.4/);
  client.destroy();
  const [rcpt = '', size = ''] = await told(user.api, 2);
  assert.match(rcpt, /^rcpt 550 5\.7\.1 <nobody@.* Capture/);
  assert.match(size, /^mail 552 5\.3\.4 .*26214400$/);
  const { items } = await refusalsOf(user.api);
  for (const { authenticated_as } of items)
    assert.deepEqual(authenticated_as, { kind: 'api_key', name: 'tests' });
  assert.deepEqual((await refusalsOf(other.api)).items, []);
});

test('a failed sign-in is told to the team of its domain or key, without the password', async () => {
  const user = await newUser();
  const { domain } = user.domain;
  const reader = await keyOf(mail.program, user.api, { scope: 'read', name: 'reader' });
  const client = await connectFromNewHost(mail.program.smtpPort);
  assert.match(await client.command(authPlain(`QA@${domain}`, 'guess-1')), /^535/);
  await told(user.api, 1);
  assert.match(await client.command(authPlain(`never@${domain}`, 'guess-2')), /^535/);
  await told(user.api, 2);
  assert.match(await client.command(authPlain('x', reader.key)), /^535/);
  await told(user.api, 3);
  assert.match(await client.command(authPlain('x@unregistered.test', 'guess-3')), /^535/);
  client.destroy();
  const { items } = await refusalsOf(user.api);
  const shown = items.map(({ stage, reason, authenticated_as, helo }: Json) => [
    stage,
    reason,
    authenticated_as,
    helo,
  ]);
  const account = (name: string) => ({ kind: 'account', name });
  assert.deepEqual(shown, [
    ['auth', 'may-not-send', { kind: 'api_key', name: 'reader' }, 'client.test'],
    ['auth', 'wrong-credentials', account(`never@${domain}`), 'client.test'],
    ['auth', 'wrong-credentials', account(`qa@${domain}`), 'client.test'],
  ]);
  assert.doesNotMatch(JSON.stringify(items), /guess/);
});

test('a key that is revoked within a session is told', async () => {
  const user = await newUser();
  const key = await keyOf(mail.program, user.api, { name: 'short' });
  const client = await signedInClient(mail.program.smtpPort, '', key.key);
  await ok(user.api.delete(`/api/tokens/${key.id}`));
  await until(
    async () =>
      (await client.command('MAIL FROM:<s@s.test>')).startsWith('530') || !(await client.command('RSET')),
  );
  client.destroy();
  const [line = ''] = await told(user.api, 1);
  assert.match(line, /^auth 530 5\.7\.0/);
});

test('a read key and a viewer may read them, and a key that sends may not', async () => {
  const user = await newUser();
  const read = await keyOf(mail.program, user.api, { scope: 'read' });
  const send = await keyOf(mail.program, user.api, { scope: 'send' });
  assert.equal((await read.api.get('/api/refusals')).status, 200);
  assert.equal((await send.api.get('/api/refusals')).json.code, 'insufficient_scope');
  assert.equal((await new HttpClient(mail.program).get('/api/refusals')).status, 401);
});

test('the refusals of a domain stay with the team that it leaves', async () => {
  const ada = await newUser();
  const [from, to] = [
    await createTeam(mail.program, ada, 'oldhome'),
    await createTeam(mail.program, ada, 'newhome'),
  ];
  const client = await mail.connect();
  await client.send('s@s.test', [`nobody@${from.domain.domain}`], message);
  await told(from.api, 1);
  await ok(from.api.post(`/api/domains/${from.domain.id}/move`, { team_id: to.id }));
  await until(
    async () => !(await client.send('s@s.test', [`again@${from.domain.domain}`], message)).startsWith('450'),
  );
  client.destroy();
  assert.deepEqual(await told(to.api, 1), [`rcpt 550 5.1.1 <again@${from.domain.domain}>: no such account`]);
  const kept = (await refusalsOf(from.api)).items.flatMap(({ rcpt_to }: Json) => rcpt_to);
  assert.ok(kept.includes(`nobody@${from.domain.domain}`), kept.join());
});

test('a flood of refusals leaves the newest thousand, and those of others', async () => {
  const [flooded, quiet] = [await newUser(), await newUser()];
  const send = async (user: User, names: string[]) => {
    const client = await mail.connect();
    const lines = names.map((name) => `RCPT TO:<${name}@${user.domain.domain}>\r\n`);
    await client.write(`MAIL FROM:<s@s.test>\r\n${lines.join('')}`);
    for (const _ of ['MAIL', ...names]) await client.reply();
    client.destroy();
  };
  await send(quiet, ['before']);
  const nobodies = Array.from({ length: 20 }, (_, at) => `n${at}`);
  const flood = async () => {
    for (let session = 0; session < 60; session += 1) await send(flooded, nobodies);
  };
  await Promise.all([flood(), flood(), send(quiet, ['meanwhile'])]);
  await send(flooded, ['last']);
  const names = (items: Json[]) => items.map(({ rcpt_to }: Json) => String(rcpt_to).split('@')[0]).sort();
  await until(async () => (await refusalsOf(quiet.api)).items.length === 2);
  assert.deepEqual(names((await refusalsOf(quiet.api)).items), ['before', 'meanwhile']);
  await until(async () => (await refusalsOf(flooded.api)).items[0].rcpt_to[0].startsWith('last@'));
  const { pagination } = await refusalsOf(flooded.api);
  assert.ok(pagination.total >= 50 && pagination.total <= 1000, `${pagination.total}`);
});

test('binary bytes and long names in commands do no harm', async () => {
  const user = await newUser();
  const nobody = `nobody@${user.domain.domain}`;
  const client = new SmtpClient(mail.program.smtpPort);
  await client.reply();
  assert.match(await client.command(`HELO ${'h'.repeat(2000)}`), /^501/);
  assert.match(await client.command('HELO client.test'), /^250/);
  await client.write(Buffer.from([...Buffer.from('MAIL FROM:<'), 0xff, 0xfe, 0x00, 0x3e, 0x0d, 0x0a]));
  assert.match(await client.reply(), /^501/);
  assert.match(await client.command(`MAIL FROM:<${'m'.repeat(1900)}@s.test>`), /^(250|501)/);
  await client.command('RSET');
  assert.match(await client.command('MAIL FROM:<né\u{1F600}@s.test> SMTPUTF8'), /^(250|50)/);
  await client.command('RSET');
  await client.command('MAIL FROM:<s@s.test>');
  await client.command(`RCPT TO:<${nobody}>`);
  client.destroy();
  await told(user.api, 1);
  const [{ helo }] = (await refusalsOf(user.api)).items;
  assert.equal(helo, 'client.test');
});
