import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openSqliteStore } from '#adapters/stores/sqlite/open.ts';
import { addUser } from '#core/access/user-changes.ts';
import { newDomain } from '#test/once/conformance/scene.ts';
import { HttpClient, type Json } from '#test/support/clients/http.ts';
import { authPlain, base64, connectFromNewHost } from '#test/support/clients/smtp-auth.ts';
import { startProcess } from '#test/support/program/process.ts';
import { type Program, startProgram, storeSettings, temporaryDir } from '#test/support/program/program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { createUser, ok } from '#test/support/program/user.ts';

const key = `sp_${'c'.repeat(43)}`;
const inbox = 'inbox@sandpost.test';
const settings = { SANDPOST_BOOTSTRAP_CAPTURE: inbox, SANDPOST_BOOTSTRAP_API_KEY: key };

let dataDir: string;
let program: Program;
let api: HttpClient;
before(async () => {
  dataDir = await temporaryDir();
  program = await startProgram({ ...settings, SANDPOST_DATA_DIR: dataDir });
  api = new HttpClient(program, { 'x-api-key': key });
});
after(() => program.stop());

const message = 'Subject: hello\r\n\r\nworld\r\n';

const odd = [
  ...[
    '.al.ice..@docomo.example',
    '"a b"@app.example',
    '"a@b"@app.example',
    '"a>b"@app.example',
    'a..b@sandpost.test',
  ],
  ...[
    '"inbox x"@sandpost.test',
    'bob@my_container',
    'bob@my_host.example',
    'bob@app.example.',
    'bob@localhost',
    'root',
  ],
  ...['用户@例子.测试', `${'l'.repeat(200)}@app.example`, 'bob@[IPv6:2001:db8::1]', 'bob@-app..example'],
];

/** Sends an email without signing in, or with any user name and password. Returns the account and envelope of its message. */
async function caught(to: string, secret?: string) {
  const client = await connectFromNewHost(program.smtpPort);
  if (secret !== undefined)
    assert.match(await client.command(authPlain('mailer@staging.example', secret)), /^235 /);
  const reply = await client.send('shop@example.com', [to], message);
  client.destroy();
  const id = /stored as (\d+)/.exec(reply)?.[1] ?? assert.fail(reply);
  const { account_id, delivered_to, envelope } = await ok(api.get(`/api/messages/${id}`));
  const { address } = await ok(api.get(`/api/accounts/${account_id}`));
  return { address, delivered_to, as: envelope.authenticated_as };
}

test('mail for any recipient is taken and read with the key, without another call', async () => {
  for (const to of ['alice@gmail.com', 'anything+tag@sandpost.test', inbox, 'bob@[192.0.2.1]', ...odd])
    assert.deepEqual(await caught(to), { address: inbox, delivered_to: to, as: null });
});

test('a mail is found by an odd address, whatever its spelling', async () => {
  for (const [to, asked] of [
    ['"Found B"@app.example', '"found b"@APP.example'],
    ['fo..und.@app.example', 'FO..und.@app.example'],
    ['"found"@app.example', 'found@app.example'],
  ] as const) {
    await caught(to);
    const { items } = await ok(api.get(`/api/messages?address=${encodeURIComponent(asked)}`));
    assert.deepEqual(
      items.map(({ to_addresses }: { to_addresses: string[] }) => to_addresses),
      [[to]],
    );
  }
});

test('an odd sender is taken, and a mail of it is reported to it', async () => {
  const senders = ['"from a"@app.example', '.fr..om.@docomo.example', 'www-data@my_container', 'cron', ''];
  for (const sender of senders) {
    const client = await connectFromNewHost(program.smtpPort);
    const reply = await client.send(sender, ['alice+fail-dsn-5.1.1@gmail.com'], message);
    client.destroy();
    const id = /stored as (\d+)/.exec(reply)?.[1] ?? assert.fail(`${sender}: ${reply}`);
    assert.equal((await ok(api.get(`/api/messages/${id}`))).envelope.mail_from, sender);
    if (sender === '') continue;
    const { items } = await ok(api.get(`/api/messages?address=${encodeURIComponent(sender)}`));
    assert.equal(items.length, 1, sender);
  }
});

test('an empty user name signs in, as any other does', async () => {
  const dialogues = [
    ['AUTH LOGIN', '', ''],
    ['AUTH LOGIN', '=', 'eA=='],
    ['AUTH LOGIN =', 'eA=='],
    [authPlain('', '')],
    [`AUTH XOAUTH2 ${base64('user=\x01auth=Bearer eyJ0b2tlbg.of.elsewhere\x01\x01')}`],
    ['AUTH OAUTHBEARER', base64('n,,\x01auth=Bearer eyJ0b2tlbg.of.elsewhere\x01\x01')],
  ];
  for (const lines of dialogues) {
    const client = await connectFromNewHost(program.smtpPort);
    let reply = '';
    for (const line of lines) reply = await client.command(line);
    client.destroy();
    assert.match(reply, /^235 /, lines.join());
  }
});

test('any credentials sign in', async () => {
  for (const secret of ['wrong', key, `sp_${'x'.repeat(43)}`]) {
    const as = { kind: 'account', name: inbox };
    assert.deepEqual(await caught('alice@gmail.com', secret), {
      address: inbox,
      delivered_to: 'alice@gmail.com',
      as,
    });
  }
});

test('the account captures, simulates failures, and its domain is verified', async () => {
  const [account, ...others] = (await ok(api.get('/api/accounts'))).items;
  assert.deepEqual(others, []);
  assert.equal(account.address, inbox);
  assert.deepEqual(
    [account.is_capture, account.simulates_failures, account.is_catch_all],
    [true, true, false],
  );
  const { items } = await ok(api.get('/api/domains'));
  assert.deepEqual(
    items.map(({ domain, mx_verified }: { domain: string; mx_verified: boolean }) => [domain, mx_verified]),
    [['sandpost.test', true]],
  );
  const client = await connectFromNewHost(program.smtpPort);
  assert.match(await client.send('shop@example.com', ['alice+fail-550@gmail.com'], message), /^550 /);
  client.destroy();
});

test('reports go to any sender, and those of other teams to theirs', async () => {
  const other = await createUser(program);
  await ok(other.api.patch(`/api/accounts/${other.account.id}`, { simulates_failures: true }));
  const lost = `qa+fail-dsn-5.1.1@${other.domain.domain}`;
  const theirs = `qa+bounces@${other.domain.domain}`;
  const client = await connectFromNewHost(program.smtpPort);
  for (const [from, to] of [
    ['bounces@example.com', 'alice+fail-dsn-5.1.1@gmail.com'],
    [theirs, lost],
    ['elsewhere@example.com', lost],
    [theirs, 'bob+fail-dsn-5.1.1@gmail.com'],
  ] as const)
    assert.match(await client.send(from, [to], message), /^250 /);
  client.destroy();
  const reports = async (at: HttpClient, to: string) =>
    (await ok(at.get(`/api/messages?to=${encodeURIComponent(to)}`))).pagination.total;
  const senders = ['bounces@example.com', theirs, 'elsewhere@example.com'];
  const counts = (at: HttpClient) => Promise.all(senders.map((to) => reports(at, to)));
  assert.deepEqual(await counts(api), [1, 0, 0]);
  assert.deepEqual(await counts(other.api), [0, 1, 0]);
});

test('mail of other teams is theirs, and so are their credentials', async () => {
  const other = await createUser(program);
  const id = await deliverOne(program, { to: other.address, subject: 'Theirs' });
  assert.equal((await ok(other.api.get(`/api/messages/${id}`))).subject, 'Theirs');
  assert.equal((await api.get(`/api/messages/${id}`)).status, 404);
  const client = await connectFromNewHost(program.smtpPort);
  assert.match(
    await client.send('shop@example.com', [`nobody@${other.domain.domain}`], message),
    /^550 5\.1\.1 /,
  );
  assert.match(await client.command(authPlain(other.address, 'guess')), /^535 /);
  client.destroy();
  const signedIn = await connectFromNewHost(program.smtpPort);
  assert.match(await signedIn.command(authPlain('apikey', other.key)), /^235 /);
  assert.match(await signedIn.send('shop@example.com', ['alice@gmail.com'], message), /^550 5\.7\.1 /);
  signedIn.destroy();
});

test('nobody can sign in as the user of its own, or register its e-mail', async () => {
  const visitor = new HttpClient(program);
  const person = { email: 'bootstrap@sandpost.test', password: 'correct horse' };
  assert.equal((await visitor.post('/api/auth/register', person)).status, 422);
  assert.equal((await visitor.post('/api/auth/login', person)).status, 401);
  assert.equal((await visitor.post('/api/auth/login', { api_key: key })).status, 200);
});

test('a second start finds everything, leaves what was changed, and turns Capture on again', async () => {
  const [account] = (await ok(api.get('/api/accounts'))).items;
  await ok(api.patch(`/api/accounts/${account.id}`, { simulates_failures: false, is_capture: false }));
  await program.stop();
  program = await startProgram({ ...settings, SANDPOST_DATA_DIR: dataDir });
  api = new HttpClient(program, { 'x-api-key': key });
  const { items } = await ok(api.get('/api/accounts'));
  assert.deepEqual(
    items.map(({ id, simulates_failures, is_capture }: Json) => [id, simulates_failures, is_capture]),
    [[account.id, false, true]],
  );
  assert.equal((await ok(api.get('/api/tokens'))).items.length, 1);
  assert.equal((await caught('alice@gmail.com')).address, inbox);
});

test('another account that captures ends the start', async () => {
  const [account] = (await ok(api.get('/api/accounts'))).items;
  await ok(api.patch(`/api/accounts/${account.id}`, { is_capture: false }));
  await ok(api.post('/api/accounts', { address: 'other@sandpost.test', is_capture: true }));
  await program.stop();
  await assert.rejects(
    startProcess('start', { ...settings, ...(await storeSettings(dataDir)) }),
    /SANDPOST_BOOTSTRAP_CAPTURE=inbox@sandpost\.test cannot be created: capture: other@sandpost\.test is already the team's/,
  );
});

test('a key of another team ends the start with one line', async () => {
  const folder = await temporaryDir();
  const before = await startProgram({
    SANDPOST_DATA_DIR: folder,
    SANDPOST_BOOTSTRAP_EMAIL: 'ci@app.test',
    SANDPOST_BOOTSTRAP_PASSWORD: 'correct horse',
    SANDPOST_BOOTSTRAP_API_KEY: key,
  });
  await before.stop();
  await assert.rejects(
    startProcess('start', { ...settings, ...(await storeSettings(folder)) }),
    /SANDPOST_BOOTSTRAP_API_KEY cannot be used: the key and bootstrap@sandpost\.test belong to different teams/,
  );
});

test('the account is made for the user that is named', async () => {
  const [email, password] = ['ci@app.test', 'correct horse'];
  await using named = await startProgram({
    ...settings,
    SANDPOST_BOOTSTRAP_EMAIL: email,
    SANDPOST_BOOTSTRAP_PASSWORD: password,
  });
  await deliverOne(named, { to: 'alice@gmail.com' });
  const { headers } = await new HttpClient(named).post('/api/auth/login', { email, password });
  const session = new HttpClient(named, { cookie: (headers['set-cookie'] ?? '').split(';')[0] ?? '' });
  assert.equal((await ok(session.get('/api/messages?wait=30'))).items.length, 1);
});

/** Users that create what the account needs, and the reason why startup then fails. */
const taken: [what: string, person: { email?: string; domain?: string }, line: RegExp][] = [
  [
    'the domain',
    { domain: 'sandpost.test' },
    /SANDPOST_BOOTSTRAP_CAPTURE=inbox@sandpost\.test cannot be created: domain: /,
  ],
  ['a name below it', { domain: 'mail.sandpost.test' }, /cannot be created: domain: .* parent or subdomain/],
  ['the e-mail', { email: 'bootstrap@sandpost.test' }, /cannot be created: email: .* is already registered/],
];

for (const [what, { email = 'someone@example.com', domain }, line] of taken) {
  test(`an installation where somebody has ${what} refuses to start with one line`, async () => {
    const folder = await temporaryDir();
    const store = await openSqliteStore({ dataDir: folder });
    const someone = { email, passwordHash: 'x', now: new Date() };
    const { id } = await store.rows.change(addUser, someone);
    if (domain !== undefined) await newDomain(store, id, domain);
    await store.close();
    await assert.rejects(startProcess('start', { ...settings, ...(await storeSettings(folder)) }), line);
  });
}
