import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startDnsServer } from '#test/support/clients/dns-server.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { type Program, running, startProgram, temporaryDir } from '#test/support/program/program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';

const run = (args: string[], dataDir: string) =>
  execFileSync('bin/sandpost', args, {
    env: { PATH: process.env.PATH, SANDPOST_DATA_DIR: dataDir },
    encoding: 'utf8',
  });

/** Sends mail and applies each kind of state: read, flagged, moved, expiring, sent, in a thread, captured. */
async function fill(program: Program, user: User): Promise<void> {
  const { api, address } = user;
  const first = await deliverOne(program, { to: address, subject: 'first' });
  const reply = ['Message-ID: <b@x>', 'In-Reply-To: <a@x>', 'Subject: reply', '', 'yes'].join('\r\n');
  await deliverOne(program, {
    to: address,
    raw: ['Message-ID: <a@x>', 'Subject: question', '', '?'].join('\r\n'),
  });
  await deliverOne(program, { to: address, raw: reply });
  const big = await deliverOne(program, {
    to: address,
    raw: `Subject: big\r\n\r\n${'0123456789\r\n'.repeat(120_000)}`,
  });
  const expires_at = new Date(Date.now() + 86_400_000).toISOString();
  await ok(
    api.patch(`/api/messages/${first}`, { is_read: true, is_flagged: true, expires_at, auto_delete: false }),
  );
  const made = await ok(api.post(`/api/accounts/${user.account.id}/mailboxes`, { path: 'Kept/Here' }));
  const from = `/api/accounts/${user.account.id}/mailboxes/${user.inbox}/messages/${big}/move`;
  await ok(api.put(from, { mailbox_id: made.id }));
  await ok(api.post(`/api/accounts/${user.account.id}/messages/send`, { to: [address], subject: 'sent' }));
  await ok(api.patch(`/api/accounts/${user.account.id}`, { storage_limit: 5_000_000, is_active: false }));
  await ok(api.post('/api/accounts', { address: `inbox@${user.domain.domain}`, is_capture: true }));
  const headers = { authorization: `Bearer ${user.key}`, 'content-type': 'application/json' };
  const body = JSON.stringify({
    from: 'shop@example.com',
    to: 'alice@gmail.com',
    subject: 'captured',
    text: 'x',
  });
  await fetch(`${program.baseUrl}/providers/resend/emails`, { method: 'POST', headers, body });
}

/** Reads everything that must be moved. Excludes IDs and change times, which are new in the copy. */
async function picture(api: HttpClient): Promise<unknown> {
  const accounts = await ok(api.get('/api/accounts'));
  const seen = [];
  for (const account of accounts.items) {
    for (const mailbox of account.mailboxes) {
      const list = await ok(api.get(`/api/accounts/${account.id}/mailboxes/${mailbox.id}/messages`));
      const ids = list.items.map((item: { id: number }) => item.id);
      for (const id of ids) {
        const { thread_id, ...message } = await ok(api.get(`/api/messages/${id}`));
        const raw = (await api.get(`/api/messages/${id}/raw`)).body.toString('base64');
        const place = ids.indexOf(thread_id);
        seen.push({ address: account.address, path: mailbox.path, place, raw, ...withoutIds(message) });
      }
    }
  }
  const bare = accounts.items.map(
    ({ address, is_active, is_capture, storage_limit, used_bytes, created_at }: Account) => {
      return { address, is_active, is_capture, storage_limit, used_bytes, created_at };
    },
  );
  const domains = (await ok(api.get('/api/domains'))).items;
  return {
    bare,
    seen,
    domains: domains.map(({ domain, verification_status }: Domain) => [domain, verification_status]),
  };
}

type Account = Record<
  'address' | 'is_active' | 'is_capture' | 'storage_limit' | 'used_bytes' | 'created_at',
  unknown
>;
type Domain = Record<'domain' | 'verification_status', unknown>;

function withoutIds(message: Record<string, unknown>): Record<string, unknown> {
  const changing = ['id', 'account_id', 'mailbox_id', 'threadId', 'sourceUrl', 'downloadUrl', 'attachments'];
  return Object.fromEntries(Object.entries(message).filter(([name]) => !changing.includes(name)));
}

test('an export, imported elsewhere, is the same mail under new ids', async () => {
  await using dns = await startDnsServer();
  const settings = { SANDPOST_DNS_SERVERS: dns.address };
  const [here, there, folder] = [await temporaryDir(), await temporaryDir(), await temporaryDir()];
  const program = await startProgram({ ...settings, SANDPOST_DATA_DIR: here });
  const user = await createUser(program);
  await fill(program, user);
  const before = await picture(user.api);
  await program.stop();
  assert.match(run(['export', folder], here), /^7 messages written/);
  assert.match(run(['export', folder], here), /^0 messages written/, 'a second run adds nothing');
  assert.equal(readdirSync(path.join(folder, 'messages')).length, 7);

  assert.match(run(['import', folder], there), /^7 messages read/);
  await using moved = await startProgram({ ...settings, SANDPOST_DATA_DIR: there });
  const api = new HttpClient(moved, { 'x-api-key': user.key });
  assert.deepEqual(await picture(api), before);
  const login = await new HttpClient(moved).post('/api/auth/login', {
    email: user.email,
    password: user.password,
  });
  assert.equal(login.status, 200);
});

/** Exports a store with a user who has `count` emails. */
async function exported(count: number): Promise<{ user: User; folder: string }> {
  const [dataDir, folder] = [await temporaryDir(), await temporaryDir()];
  await using dns = await startDnsServer();
  const program = await startProgram({ SANDPOST_DNS_SERVERS: dns.address, SANDPOST_DATA_DIR: dataDir });
  const user = await createUser(program);
  for (let i = 0; i < count; i += 1) await deliverOne(program, { to: user.address, subject: `mail ${i}` });
  await program.stop();
  run(['export', folder], dataDir);
  return { user, folder };
}

test('an interrupted import continues at its place, and doubles nothing', async () => {
  const { user, folder } = await exported(5);
  const there = await temporaryDir();
  run(['import', folder], there);
  // State of an import that ended after its fourth commit, while recording it.
  const table = path.join(folder, 'imported.jsonl');
  const lines = readFileSync(table, 'utf8').split('\n');
  writeFileSync(table, `${lines.slice(0, 3).join('\n')}\n${lines[3]}`);
  truncateSync(table, readFileSync(table).length - 2);
  assert.match(run(['import', folder], there), /^2 messages read/);
  await using moved = await startProgram({ SANDPOST_DATA_DIR: there });
  const list = await ok(new HttpClient(moved, { 'x-api-key': user.key }).get('/api/messages'));
  const subjects = list.items.map((item: { subject: string }) => item.subject);
  assert.deepEqual(subjects, ['mail 4', 'mail 3', 'mail 2', 'mail 1', 'mail 0']);
  assert.equal(readFileSync(table, 'utf8'), lines.join('\n'), 'the table is what it was');
});

test('an archive is imported as a whole into each of several stores', async () => {
  const { folder } = await exported(2);
  const [first, second] = [await temporaryDir(), await temporaryDir()];
  assert.match(run(['import', folder], first), /^2 messages read/);
  assert.match(run(['import', folder], second), /^2 messages read/);
  assert.match(run(['import', folder], first), /^0 messages read/);
});

test('a team moves with its members, its mail and its keys, each within its scope', async () => {
  const [here, there, folder] = [await temporaryDir(), await temporaryDir(), await temporaryDir()];
  const program = await startProgram({ SANDPOST_DATA_DIR: here });
  const [ada, bob] = [await createUser(program), await createUser(program)];
  const session = new HttpClient(program, { cookie: ada.cookie });
  const team = await ok(session.post('/api/teams', { name: 'Checkout' }));
  const acting = new HttpClient(program, { cookie: ada.cookie, 'x-team-id': String(team.id) });
  const { url } = await ok(acting.post(`/api/teams/${team.id}/invitations`, { role: 'viewer' }));
  const guest = new HttpClient(program, { cookie: bob.cookie });
  await ok(guest.post('/api/invitations/accept', { token: url.split('/').at(-1) }));
  const keys: Record<string, string> = {};
  for (const scope of ['full', 'read', 'send'])
    keys[scope] = (await ok(acting.post('/api/tokens', { name: scope, scope }))).key;
  await ok(acting.post('/api/domains', { domain: 'checkout.test', mx_verified: true }));
  await ok(acting.post('/api/accounts', { address: 'qa@checkout.test' }));
  await deliverOne(program, { to: 'qa@checkout.test', subject: 'for the team' });
  await deliverOne(program, { to: bob.address, subject: 'for Bob' });
  await program.stop();
  run(['export', folder], here);
  assert.match(run(['import', folder], there), /^2 messages read/);
  assert.match(run(['import', folder], there), /^0 messages read/);

  await using moved = await startProgram({ SANDPOST_DATA_DIR: there });
  const { email, password } = bob;
  const entered = await new HttpClient(moved).post('/api/auth/login', { email, password });
  const cookie = (entered.headers['set-cookie'] ?? '').split(';')[0] ?? '';
  const his = new HttpClient(moved, { cookie });
  const { items: teams } = await ok(his.get('/api/teams'));
  const seen = teams.map(({ name, role }: { name: string; role: string }) => [name, role]);
  assert.deepEqual(seen, [
    [email, 'owner'],
    ['Checkout', 'viewer'],
  ]);
  const subjects = async (api: HttpClient, query = '') =>
    (await ok(api.get(`/api/messages${query}`))).items.map(({ subject }: { subject: string }) => subject);
  assert.deepEqual(await subjects(his), ['for Bob']);
  assert.deepEqual(await subjects(his, `?team_id=${teams[1].id}`), ['for the team']);
  const withKey = (scope: string) => new HttpClient(moved, { 'x-api-key': keys[scope] ?? '' });
  assert.deepEqual(await subjects(withKey('full')), ['for the team']);
  assert.deepEqual(await subjects(withKey('read')), ['for the team']);
  const refused = await withKey('read').post('/api/domains', { domain: 'more.test' });
  assert.deepEqual([refused.status, refused.json.code], [403, 'insufficient_scope']);
  assert.equal((await withKey('send').get('/api/messages')).status, 403);
});

test('an import adds mail alone to people who are there, unless it may trust the archive', async () => {
  const { user, folder } = await exported(1);
  const there = await temporaryDir();
  execFileSync('bin/sandpost', ['users', 'add', user.email], {
    env: { PATH: process.env.PATH, SANDPOST_DATA_DIR: there },
    input: 'another horse',
  });
  const told = run(['import', folder], there);
  assert.match(told, /^1 messages read/);
  assert.ok(told.includes(`existing teams received only mail: ${user.email};`), told);
  const sees = async (program: Program) =>
    (await new HttpClient(program, { 'x-api-key': user.key }).get('/api/messages')).status;
  await running(there, async (program) => assert.equal(await sees(program), 401));
  assert.throws(
    () => run(['export', folder, '--trust-people'], there),
    /--trust-people is an option of sandpost import/,
  );
  assert.match(run(['import', folder, '--trust-people'], there), /^0 messages read from \S+\n$/);
  await running(there, async (program) => assert.equal(await sees(program), 200));
});

test('an archive of an unknown format is refused in one sentence', async () => {
  const [there, folder] = [await temporaryDir(), await temporaryDir()];
  for (const format of [1, 3]) {
    writeFileSync(path.join(folder, 'manifest.json'), JSON.stringify({ format }));
    const told = new RegExp(
      `^sandpost: .*: this version of Sandpost does not support archive format ${format}\\n`,
    );
    assert.throws(
      () => run(['import', folder], there),
      (error: { stderr?: string }) => told.test(error.stderr ?? ''),
    );
    assert.throws(
      () => run(['export', folder], there),
      (error: { stderr?: string }) => /^sandpost: .*: export to a new folder\n/.test(error.stderr ?? ''),
    );
  }
});

test('a folder that is no archive is refused in one sentence', async () => {
  const folder = await temporaryDir();
  const dataDir = await temporaryDir();
  assert.throws(
    () => run(['import', folder], dataDir),
    (error: { stderr?: string }) => {
      return /^sandpost: .* contains no archive/.test(error.stderr ?? '');
    },
  );
});
