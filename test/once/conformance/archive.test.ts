import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { openArchiveFolder } from '#adapters/archive-folder.ts';
import { exportArchive } from '#core/archive/export-archive.ts';
import { type ImportPorts, importArchive } from '#core/archive/import-archive.ts';
import type { Id } from '#core/ids.ts';
import type { Store } from '#core/store.ts';
import { stores } from '#test/support/stores/store.ts';
import { passwordHash } from './hostile-archive.ts';
import { mail, recordWith } from './mail.ts';
import {
  deliver,
  mailboxId,
  messageOf,
  newAccount,
  newDomain,
  newUser,
  onEachStore,
  rawOf,
  target,
  wholePage,
} from './scene.ts';

const beginning = { number: 0, id: 0 };
const apiKey = (name: string) => ({
  name,
  prefix: `sp_${name}`,
  hash: `hash of ${name}`,
  createdAt: new Date(7),
});

const archivedKey = (name: string) => ({
  ...apiKey(name),
  scope: 'full',
  expiresAt: null,
  createdBy: null,
  managedBy: null,
});

/** Returns copies with a prototype, which SQLite rows lack. */
const plain = <T extends object>(rows: T[]) => rows.map((row) => ({ ...row }));

onEachStore(
  'an export reads identities, teams, keys, passwords and messages in their order',
  async (scene) => {
    const { store, owner, domain, account } = scene;
    const other = await store.users.insert('second@team.test', 'a hash', new Date());
    assert.ok(other);
    const identity = { issuer: 'https://id.test/a', subject: 'with a space' };
    assert.ok(await store.users.vouch(other.id, { identity }));
    assert.deepEqual(plain(await store.rows.read('identities', { user: other.id })), [identity]);
    assert.deepEqual(await store.rows.read('identities', { user: owner }), []);
    const shared = { name: 'Shared', kind: 'shared', founder: owner, createdAt: new Date(7) } as const;
    const team = await store.teams.insert(shared);
    const gone = await store.teams.insert({ ...shared, name: 'Gone' });
    assert.ok(team && gone);
    await store.teams.softDelete(gone.id, new Date());
    assert.deepEqual((await store.rows.list('teams', { personal: true }, wholePage)).items, [
      await store.teams.find(owner),
      await store.teams.find(other.id),
      team,
    ]);
    for (const name of ['b', 'a']) await store.apiKeys.insert(owner, apiKey(name));
    await store.apiKeys.insert(other.id, apiKey('c'));
    assert.deepEqual(plain((await store.rows.read('credentials', { team: owner })).apiKeys), [
      archivedKey('b'),
      archivedKey('a'),
    ]);
    const words = { scope: 'read', expiresAt: new Date(9), managedBy: 'qa/ci' } as const;
    await store.apiKeys.insert(team.id, { ...apiKey('d'), ...words, createdBy: other });
    assert.deepEqual(plain((await store.rows.read('credentials', { team: team.id })).apiKeys), [
      { ...apiKey('d'), ...words, createdBy: 'second@team.test' },
    ]);
    const { id } = await newAccount(store, owner, domain.id, 'b@app.test', { passwordHash: 'its hash' });
    assert.equal(
      (await store.rows.read('credentials', { team: owner })).passwords.get(id) ?? null,
      'its hash',
    );
    assert.equal((await store.rows.read('credentials', { team: other.id })).passwords.get(id) ?? null, null);
    assert.equal(
      (await store.rows.read('credentials', { team: owner })).passwords.get(account.id) ?? null,
      null,
    );
    const ids = [await deliver(store, account), await deliver(store, account), await deliver(store, account)];
    const places = ids.map((id, i) => ({ number: i + 1, id }));
    const after = async (user: Id, place = beginning) =>
      plain(await store.archive.messages(user, { after: place, limit: 2 }));
    assert.deepEqual(await after(owner), places.slice(0, 2));
    assert.deepEqual(await after(owner, places[1]), places.slice(2));
    assert.deepEqual(await after(other.id), []);
  },
);

/** Import ports. The examiner returns an email whose subject states its length. */
function importPorts(store: Store): ImportPorts {
  return {
    ...store,
    examiner: {
      async examine(source, { submitted, smtpUtf8 }) {
        assert.ok('open' in source && submitted && smtpUtf8);
        return recordWith({ subject: `of ${source.sizeBytes} bytes` });
      },
      async close() {},
    },
    log: { info: () => {}, error: assert.fail },
    clock: () => new Date(),
  };
}

const exportPorts = (store: Store) => ({ ...store, clock: () => new Date(), retentionDays: 90 });

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'sandpost-archive-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

for (const { name, open } of stores) {
  test(`${name}: exported data is there after an import, once`, async (t) => {
    const from = await open();
    const owner = await newUser(from.store);
    await from.store.apiKeys.insert(owner, apiKey('a'));
    const [domain, idle] = [
      await newDomain(from.store, owner, 'app.test'),
      await newDomain(from.store, owner, 'idle.test'),
    ];
    const assumedClientIp = '203.0.113.7';
    await from.store.domains.update(owner, idle.id, { active: false, assumedClientIp }, new Date());
    const words = { active: false, storageLimit: 1, catchAll: false, passwordHash };
    const account = await newAccount(from.store, owner, domain.id, 'qa@app.test');
    const kept = await from.store.mailboxes.insert(owner, account.id, 'Kept', new Date());
    assert.ok(kept && kept !== 'taken');
    const addresses = Array.from({ length: 100 }, (_, index) => `qa+${'x'.repeat(50)}${index}@app.test`);
    const envelope = { ...target(account).envelope, rcptTo: addresses };
    const withLongEnvelope = mail([target(account, { envelope })], { text: 'longer' });
    const [verdict] = await from.store.deliveries.commit([withLongEnvelope]);
    assert.ok(verdict && 'ids' in verdict);
    const ids = [...verdict.ids, await deliver(from.store, account)];
    const usedBytes = (await from.store.accounts.find(owner, account.id))?.usedBytes;
    assert.ok(usedBytes && usedBytes > 4096);
    await newAccount(from.store, owner, domain.id, 'full@app.test', words);
    const folder = await openArchiveFolder(newFolder(t));
    assert.equal(await exportArchive(exportPorts(from.store), folder), 2);
    assert.equal(await exportArchive(exportPorts(from.store), folder), 0);
    const before = [];
    for (const id of ids) before.push(await messageOf(from.store, owner, id));
    const raws = await Promise.all(ids.map((id) => rawOf(from.store, owner, id)));
    await from.dispose();

    const into = await open();
    t.after(() => into.dispose());
    const ports = importPorts(into.store);
    assert.equal((await importArchive(ports, folder)).messages, 2);
    assert.equal((await importArchive(ports, folder)).messages, 0);
    const moved = await into.store.users.find({ email: 'qa-team@app.test' });
    assert.ok(moved);
    const user = moved.user.id;
    assert.deepEqual(plain((await into.store.rows.read('credentials', { team: user })).apiKeys), [
      archivedKey('a'),
    ]);
    const domains = await into.store.rows.list('domains', { team: user }, { page: 1, limit: 9 });
    assert.deepEqual(
      domains.items.map(({ name, active, assumedClientIp }) => [name, active, assumedClientIp]),
      [
        ['app.test', true, null],
        ['idle.test', false, assumedClientIp],
      ],
    );
    const accounts = await into.store.accounts.list(user, {}, { page: 1, limit: 9 });
    const [first, second] = accounts.items;
    assert.ok(first && second);
    assert.deepEqual(
      accounts.items.map(({ address, active, storageLimit, usedBytes }) => [
        address,
        active,
        storageLimit,
        usedBytes,
      ]),
      [
        ['qa@app.test', true, account.storageLimit, usedBytes],
        ['full@app.test', false, 1, 0],
      ],
    );
    assert.equal(
      (await into.store.rows.read('credentials', { team: user })).passwords.get(second.id) ?? null,
      passwordHash,
    );
    assert.ok(mailboxId(first, 'Kept'));
    const places = await into.store.archive.messages(user, { after: beginning, limit: 9 });
    const { installation } = into.store;
    const table = await folder.imported(installation);
    assert.deepEqual(
      places.map(({ id }) => id),
      ids.map((id) => table.get(id)),
    );
    const [one = 0, two = 0] = ids;
    const noted: [Id, Id | undefined][] = [];
    const clientGone = {
      ...folder,
      imported: async () => new Map([[one, table.get(one) ?? 0]]),
      noteImported: async (_installation: string, old: Id, fresh: Id) => void noted.push([old, fresh]),
    };
    assert.equal(
      (await importArchive(ports, clientGone)).messages,
      1,
      'the second was written, but not noted',
    );
    assert.deepEqual(noted, [[two, table.get(two)]]);
    assert.equal((await into.store.archive.messages(user, { after: beginning, limit: 9 })).length, 2);
    for (const [i, message] of before.entries()) {
      const after = await messageOf(into.store, user, places[i]?.id ?? 0);
      assert.equal(after.mailboxId, mailboxId(first, 'INBOX'));
      assert.deepEqual(await rawOf(into.store, user, after.id), raws[i]);
      assert.equal(after.content.subject, `of ${message.sizeBytes} bytes`);
      for (const word of ['receivedAt', 'sizeBytes', 'envelope', 'deliveredTo', 'autoDelete'] as const)
        assert.deepEqual(after[word], message[word], word);
    }
    assert.equal((await into.reopen()).installation, installation);
  });
}

onEachStore('an import for an unavailable mailbox or name says so', async ({ store, account }, t) => {
  await deliver(store, account);
  const folder = await openArchiveFolder(newFolder(t));
  await exportArchive(exportPorts(store), folder);
  const { users, teams } = await folder.readPeople();
  const [[user], [team]] = [users, teams];
  assert.ok(user && team);
  const write = (words: Partial<typeof team>, people = users) =>
    folder.writePeople({ users: people, teams: [{ ...team, ...words }] });
  await write({}, [{ ...user, email: 'other@team.test' }]);
  await assert.rejects(
    importArchive(importPorts(store), folder),
    /the domain app\.test belongs to another team/,
  );
  await write({}, []);
  await assert.rejects(importArchive(importPorts(store), folder), /has no user for the personal team/);
  await write({
    domains: [],
    accounts: team.accounts.map((one) => ({ ...one, address: 'a@gone.test' })),
  });
  await assert.rejects(
    importArchive(importPorts(store), folder),
    /the account a@gone\.test cannot be created/,
  );
  await write({ accounts: team.accounts.map((one) => ({ ...one, mailboxes: [] })) });
  const ports = { ...importPorts(store), archive: { ...store.archive, messages: async () => [] } };
  await assert.rejects(importArchive(ports, folder), /an account or mailbox that the archive does not list/);
  await write({});
  const refused = { reason: 'no-room', address: account.address } as const;
  const deliveries = { commit: async () => [refused] };
  await assert.rejects(
    importArchive({ ...ports, deliveries }, folder),
    /cannot be stored for qa@app\.test: no-room/,
  );
});
