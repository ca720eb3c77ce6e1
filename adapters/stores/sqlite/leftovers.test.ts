import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { removeDomain } from '#core/domains/change-domain.ts';
import { mail } from '#test/once/conformance/mail.ts';
import {
  clearAll,
  deliver,
  newAccount,
  newDomain,
  newUser,
  now,
  target,
} from '#test/once/conformance/scene.ts';
import { openSqliteStore } from './open.ts';

test('removing all mail and its domain leaves no row of theirs', async () => {
  const dataDir = mkdtempSync(path.join(tmpdir(), 'sandpost-leftovers-'));
  const store = await openSqliteStore({ dataDir });
  const owner = await newUser(store);
  const domain = await newDomain(store, owner, 'app.test');
  const account = await newAccount(store, owner, domain.id, 'qa@app.test');
  const first = await deliver(store, account, { msgid: '<a>', bytes: new Uint8Array(600_000) });
  await deliver(store, account, { msgid: '<b>', inReplyTo: '<a>' });
  await deliver(store, account, { msgid: '<c>', references: ['<a>', '<b>'] });
  await store.deliveries.commit([mail([target(account), target(account, { mailbox: 'Sent' })])]);
  const writer = store.deliveries.writeBody();
  await writer.write(new Uint8Array(600_000));
  await writer.finish();
  await store.messages.remove(owner, first, now());
  await store.rows.change(removeDomain, { team: owner, domain: domain.id, now: new Date() });
  await clearAll(store);
  await store.upkeep({ do: 'remove-orphan-bodies', before: new Date(Date.now() + 1000) }, 10);
  await store.upkeep({ do: 'prune-journal', before: new Date(Date.now() + 1000), keep: 0 }, 10);
  await store.close();

  const db = new DatabaseSync(path.join(dataDir, 'sandpost.db'), { readOnly: true });
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name").all();
  const filled = tables.filter(
    ({ name }) => db.prepare(`SELECT 1 FROM "${name}" LIMIT 1`).get() !== undefined,
  );
  const names = filled.map(({ name }) => name);
  assert.deepEqual(names, ['installation', 'membership', 'migration', 'sqlite_sequence', 'team', 'user']);
  assert.equal(db.prepare('PRAGMA integrity_check').get()?.integrity_check, 'ok');
  db.close();
  rmSync(dataDir, { recursive: true });
});
