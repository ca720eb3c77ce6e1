import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { startDnsServer } from '#test/support/clients/dns-server.ts';
import { HttpClient } from '#test/support/clients/http.ts';
import { type Program, running, startProgram, temporaryDir } from '#test/support/program/program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { createUser, login, ok, type User } from '#test/support/program/user.ts';

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

/** Exports a store with every kind of mail. Returns the archive, and what the API showed of the mail. */
async function exported() {
  await using dns = await startDnsServer();
  const [dataDir, folder] = [await temporaryDir(), await temporaryDir()];
  const program = await startProgram({ SANDPOST_DNS_SERVERS: dns.address, SANDPOST_DATA_DIR: dataDir });
  const user = await createUser(program);
  await fill(program, user);
  const before = await picture(user.api);
  await program.stop();
  assert.match(run(['export', folder], dataDir), /^7 messages written/);
  assert.match(run(['export', folder], dataDir), /^0 messages written/, 'a second run adds nothing');
  assert.equal(readdirSync(path.join(folder, 'messages')).length, 7);
  return { user, folder, before };
}
const { user, folder, before } = await exported();

test('an export, imported elsewhere, is the same mail under new ids', async () => {
  const there = await temporaryDir();
  assert.match(run(['import', folder], there), /^7 messages read/);
  await running(there, async (moved) => {
    const api = new HttpClient(moved, { 'x-api-key': user.key });
    assert.deepEqual(await picture(api), before);
    assert.equal((await login(moved, user.email, user.password)).status, 200);
  });
});

test('an import adds mail alone to people who are there, unless it may trust the archive', async () => {
  const there = await temporaryDir();
  execFileSync('bin/sandpost', ['users', 'add', user.email], {
    env: { PATH: process.env.PATH, SANDPOST_DATA_DIR: there },
    input: 'another horse',
  });
  const told = run(['import', folder], there);
  assert.match(told, /^7 messages read/);
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

test('an archive of an unknown format, and a folder that is no archive, are refused in one sentence', async () => {
  const [there, other] = [await temporaryDir(), await temporaryDir()];
  const refused = (args: string[], told: RegExp) =>
    assert.throws(
      () => run(args, there),
      (error: { stderr?: string }) => told.test(error.stderr ?? ''),
    );
  refused(['import', other], /^sandpost: .* contains no archive/);
  writeFileSync(path.join(other, 'manifest.json'), JSON.stringify({ format: 3 }));
  refused(['import', other], /^sandpost: .*: this version of Sandpost does not support archive format 3\n/);
  refused(['export', other], /^sandpost: .*: export to a new folder\n/);
});
