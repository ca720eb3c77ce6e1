import assert from 'node:assert/strict';
import { readdirSync, rmSync } from 'node:fs';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { openArchiveFolder } from '#adapters/archive-folder.ts';
import { beginning } from '#core/archive/archive.ts';
import { exportArchive } from '#core/archive/export-archive.ts';
import { importArchive } from '#core/archive/import-archive.ts';
import type { Id } from '#core/ids.ts';
import type { Store } from '#core/store.ts';
import { stores } from '#test/support/stores/store.ts';
import { importPorts, newFolder } from './hostile-archive.ts';
import { deliver, newAccount, newDomain, newUser, onEachStore, rawOf } from './scene.ts';

/** Exports `count` emails to qa@app.test from a separate store. */
async function exportedMails(t: TestContext, count: number): Promise<string> {
  const from = await stores[0]?.open();
  assert.ok(from);
  const owner = await newUser(from.store);
  const domain = await newDomain(from.store, owner, 'old.test');
  const account = await newAccount(from.store, owner, domain.id, 'qa@old.test');
  for (let n = 0; n < count; n += 1) await deliver(from.store, account, { text: `old ${n}` });
  const place = newFolder(t);
  await exportArchive(
    { ...from.store, clock: () => new Date(), retentionDays: 90 },
    await openArchiveFolder(place),
  );
  await from.dispose();
  return place;
}

/** Texts of all emails in a team, oldest first. */
async function textsOf(store: Store, owner: Id): Promise<string[]> {
  const places = await store.archive.messages(owner, { after: beginning, limit: 99 });
  const raws = await Promise.all(places.map(({ id }) => rawOf(store, owner, id)));
  return raws.map((raw) => raw.toString().split('\r\n\r\n')[1]?.trim() ?? '');
}

onEachStore('an import adds all mail to a team that has some', async ({ store, owner, account }, t) => {
  for (let n = 0; n < 3; n += 1) await deliver(store, account, { text: `new ${n}` });
  const folder = await openArchiveFolder(await exportedMails(t, 5));
  assert.equal((await importArchive(importPorts(store), folder)).messages, 5);
  const all = ['new 0', 'new 1', 'new 2', 'old 0', 'old 1', 'old 2', 'old 3', 'old 4'];
  assert.deepEqual(await textsOf(store, owner), all);
  const table = await folder.imported(store.installation);
  const places = await store.archive.messages(owner, { after: beginning, limit: 99 });
  assert.deepEqual(
    [...table.values()],
    places.slice(3).map(({ id }) => id),
  );
  assert.equal((await importArchive(importPorts(store), folder)).messages, 0);
  assert.deepEqual(await textsOf(store, owner), all);
});

onEachStore('an interrupted import into a team that gets mail goes on without doubles', async (scene, t) => {
  const { store, owner, account } = scene;
  await deliver(store, account, { text: 'new 0' });
  const folder = await openArchiveFolder(await exportedMails(t, 4));
  let notes = 0;
  const dying = {
    ...folder,
    async noteImported(...note: Parameters<typeof folder.noteImported>) {
      notes += 1;
      if (notes === 2) throw new Error('killed');
      await folder.noteImported(...note);
    },
  };
  await assert.rejects(importArchive(importPorts(store), dying), /killed/);
  await deliver(store, account, { text: 'new 1' });
  assert.equal((await importArchive(importPorts(store), folder)).messages, 3);
  assert.deepEqual(await textsOf(store, owner), ['new 0', 'old 0', 'old 1', 'new 1', 'old 2', 'old 3']);
});

onEachStore('a message whose bytes are missing stops an import into a team with mail', async (scene, t) => {
  const { store, account } = scene;
  for (let n = 0; n < 3; n += 1) await deliver(store, account, { text: `new ${n}` });
  const place = await exportedMails(t, 1);
  const [name = ''] = readdirSync(path.join(place, 'messages'));
  rmSync(path.join(place, 'messages', name));
  await assert.rejects(
    importArchive(importPorts(store), await openArchiveFolder(place)),
    new RegExp(`messages/${name} is missing$`),
  );
});
