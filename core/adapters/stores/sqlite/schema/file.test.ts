import assert from 'node:assert/strict';
import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { type TestContext, test } from 'node:test';
import { openSqliteStore } from '#core/adapters/stores/sqlite/open.ts';
import { verifiedByHand } from '#core/domains/verdict.ts';
import { mail } from '#test/conformance/mail.ts';
import { idsOf, messageOf, newAccount, newDomain, newUser, target } from '#test/conformance/scene.ts';

function directory(t: TestContext): { dataDir: string; file: string } {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'sandpost-file-'));
  t.after(() => rmSync(dataDir, { recursive: true, force: true }));
  return { dataDir, file: path.join(dataDir, 'sandpost.db') };
}

async function makeStore(dataDir: string): Promise<void> {
  await (await openSqliteStore({ dataDir })).close();
}

function change(file: string, sql: string): void {
  const db = new DatabaseSync(file);
  db.exec(sql);
  db.close();
}

const spoilers: [string, RegExp, (dataDir: string, file: string) => Promise<void> | void][] = [
  ['text', /is damaged, or no SQLite file$/, (_, file) => writeFileSync(file, 'not a database'.repeat(100))],
  ['a few bytes', /is damaged, or no SQLite file$/, (_, file) => writeFileSync(file, 'SQLite format 3\0')],
  ['a strange database', /belongs to another program$/, (_, file) => change(file, 'CREATE TABLE t (x)')],
  [
    'a newer version',
    /was written by a newer version/,
    async (dataDir, file) => {
      await makeStore(dataDir);
      change(file, 'PRAGMA user_version = 999');
    },
  ],
  [
    'a file that was cut off',
    /is damaged: /,
    async (dataDir, file) => {
      await makeStore(dataDir);
      truncateSync(file, readFileSync(file).length - 3 * 4096);
    },
  ],
  [
    'a file that was overwritten',
    /is damaged: /,
    async (dataDir, file) => {
      await makeStore(dataDir);
      const bytes = readFileSync(file);
      writeFileSync(file, bytes.fill(0xaa, 4096));
    },
  ],
];

for (const [name, message, spoil] of spoilers) {
  test(`${name} is refused in one sentence that names the file, which is left untouched`, async (t) => {
    const { dataDir, file } = directory(t);
    await spoil(dataDir, file);
    const before = readFileSync(file);
    for (const attempt of ['first', 'second']) {
      await assert.rejects(openSqliteStore({ dataDir }), (error: Error) => {
        assert.match(error.message, message, attempt);
        return error.message.startsWith(file) && !error.message.includes('\n');
      });
    }
    assert.ok(readFileSync(file).equals(before), 'byte for byte');
    assert.equal(existsSync(`${file}-wal`), false);
  });
}

test('an empty file, which a crash at the very beginning leaves, becomes a store', async (t) => {
  const { dataDir, file } = directory(t);
  writeFileSync(file, '');
  await makeStore(dataDir);
  assert.ok(readFileSync(file).length > 0);
});

/** Take away what later versions have added. */
const asVersion7 = `DROP TRIGGER mailbox_made; DROP TRIGGER mailbox_counted; DROP TRIGGER mailbox_buried;
  DROP INDEX account_owner; DROP INDEX account_address;
  CREATE UNIQUE INDEX account_address ON account (address) WHERE buried_at IS NULL;
  CREATE INDEX account_owner ON account (owner, id) WHERE buried_at IS NULL;
  CREATE INDEX mailbox_owner ON mailbox (owner) WHERE buried_at IS NULL;
  ALTER TABLE mailbox DROP COLUMN domain_id; ALTER TABLE domain DROP COLUMN mailboxes;
  ALTER TABLE domain DROP COLUMN total; ALTER TABLE domain DROP COLUMN copies; PRAGMA user_version = 7;`;
const asVersion2 = `${asVersion7} DROP INDEX domain_path; ALTER TABLE domain DROP COLUMN path; PRAGMA user_version = 2;`;

test('a store of version 1 becomes one of today, with what it holds', async (t) => {
  const { dataDir, file } = directory(t);
  await makeStore(dataDir);
  const key = "(1, 'old key', 'sp_', 'old hash', 0)";
  change(
    file,
    `${asVersion2} ALTER TABLE api_key DROP COLUMN managed_by; DROP INDEX domain_managed; DROP INDEX account_managed;
     PRAGMA user_version = 1;
     INSERT INTO api_key (owner, name, prefix, hash, created_at) VALUES ${key};
     INSERT INTO user (id, email, created_at) VALUES (1, 'a@b.test', 0), (2, 'b@b.test', 0);
     INSERT INTO session (hash, user_id, begun_at, expires_at) VALUES ('of no known key', 1, 0, 9e15);
     INSERT INTO domain (owner, name, active, status, refusals, created_at, updated_at)
     VALUES (1, 'old.test', 1, 'pending', 0, 0, 0)`,
  );
  const store = await openSqliteStore({ dataDir });
  const found = await store.apiKeys.findByHash('old hash');
  const below = { name: 'below.old.test', active: true, verification: verifiedByHand(), managedBy: null };
  assert.equal(await store.domains.insert(2, { ...below, createdAt: new Date() }), 'overlaps');
  assert.equal(await store.sessions.find('of no known key', new Date()), null);
  await store.close();
  assert.equal(found?.key.name, 'old key');
  assert.equal(found?.key.managedBy, null);
});

test('a store of version 2 forgets other users\u2019 recipients, which its search texts have', async (t) => {
  const { dataDir, file } = directory(t);
  const store = await openSqliteStore({ dataDir });
  const owner = await newUser(store);
  const { id: domainId } = await newDomain(store, owner, 'app.test');
  const account = await newAccount(store, owner, domainId, 'qa@app.test');
  const blind = mail([target(account)], { to: [] });
  blind.content.cc = [{ name: 'C\u00c9CILE', address: 'Cecile@app.test' }];
  await store.deliveries.commitDeliveries([blind, mail([target(account)], { to: ['named@b.test'] })]);
  await store.close();
  change(file, `UPDATE search SET recipients = 'board@b.test' WHERE body_id = 1; ${asVersion2}`);
  const opened = await openSqliteStore({ dataDir });
  const found = async (to: string) => (await idsOf(opened, owner, { to })).length;
  try {
    assert.equal(await found('board@b.test'), 0);
    assert.equal(await found('c\u00e9cile cecile@app.test'), 1);
    assert.equal(await found('qa@app.test'), 2);
    assert.equal(await found('named@b.test'), 1);
  } finally {
    await opened.close();
  }
});

test('a store of version 6 cuts what is longer than what is shown, once', async (t) => {
  const { dataDir, file } = directory(t);
  const store = await openSqliteStore({ dataDir });
  const owner = await newUser(store);
  const { id: domainId } = await newDomain(store, owner, 'app.test');
  const account = await newAccount(store, owner, domainId, 'qa@app.test');
  await store.deliveries.commitDeliveries([mail([target(account)]), mail([target(account)])]);
  await store.close();
  const long = (column: string) => `replace(hex(zeroblob(${2 ** 20})), '00', 'ü') || ${column}`;
  change(
    file,
    `UPDATE content SET text = ${long('text')}, detail = json_remove(detail, '$.textTruncated') WHERE body_id = 1;
     UPDATE message SET subject = ${long('subject')}, from_address = ${long('from_address')},
       to_addresses = json_array(${Array.from({ length: 60 }, (_, at) => `'${at}@app.test'`).join()}) WHERE body_id = 1;
     ${asVersion7} PRAGMA user_version = 6`,
  );
  const opened = await openSqliteStore({ dataDir });
  try {
    const [cut, whole] = [await messageOf(opened, owner, 1), await messageOf(opened, owner, 2)];
    assert.equal(cut.content.text, 'ü'.repeat(2 ** 19));
    assert.deepEqual([cut.content.textTruncated, whole.content.textTruncated], [true, false]);
    assert.equal(cut.subject, 'ü'.repeat(998));
    assert.equal(cut.fromAddress, 'ü'.repeat(320));
    assert.equal(cut.toAddresses.length, 50);
    assert.deepEqual([whole.subject, whole.content.text], ['hello', 'hi']);
  } finally {
    await opened.close();
  }
});

test('a store of version 7 counts by domain what it has', async (t) => {
  const { dataDir, file } = directory(t);
  const store = await openSqliteStore({ dataDir });
  const owner = await newUser(store);
  const { id: domainId } = await newDomain(store, owner, 'app.test');
  const account = await newAccount(store, owner, domainId, 'qa@app.test');
  const gone = await newAccount(store, owner, domainId, 'gone@app.test');
  await store.deliveries.commitDeliveries([mail([target(account), target(account, { mailbox: 'Sent' })])]);
  await store.deliveries.commitDeliveries([mail([target(account)]), mail([target(gone)])]);
  await store.accounts.bury(owner, gone.id, new Date());
  await store.close();
  change(file, asVersion7);
  const opened = await openSqliteStore({ dataDir });
  try {
    assert.equal((await idsOf(opened, owner, {})).length, 2);
    await opened.deliveries.commitDeliveries([mail([target(account)])]);
    assert.equal((await idsOf(opened, owner, {})).length, 3);
    const made = await opened.mailboxes.insert(owner, account.id, 'New', new Date());
    assert.ok(made !== null && made !== 'taken');
    assert.equal((await idsOf(opened, owner, { mailboxId: made.id })).length, 0);
  } finally {
    await opened.close();
  }
});

test('a directory that cannot be made is named', async (t) => {
  const { dataDir } = directory(t);
  writeFileSync(path.join(dataDir, 'file'), '');
  await assert.rejects(openSqliteStore({ dataDir: path.join(dataDir, 'file', 'data') }), /file\/data/);
});

test('a newer version that stands in the log alone is refused too', async (t) => {
  const { dataDir, file } = directory(t);
  await makeStore(dataDir);
  const db = new DatabaseSync(file);
  db.exec('PRAGMA user_version = 999');
  const copy = directory(t);
  for (const suffix of ['', '-wal']) copyFileSync(file + suffix, copy.file + suffix);
  db.close();
  await assert.rejects(openSqliteStore({ dataDir: copy.dataDir }), /was written by a newer version/);
});
