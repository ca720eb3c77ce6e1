import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { openArchiveFolder } from '#adapters/archive-folder.ts';
import { addKey } from '#core/access/key-changes.ts';
import { importArchive } from '#core/archive/import-archive.ts';
import type { Store } from '#core/store.ts';
import { at, forged, hostile, importPorts, key, newFolder, team, user, victim } from './hostile-archive.ts';
import { newUser, onEachStore, wholePage } from './scene.ts';

/** State of people that an archive could change. */
async function people(store: Store, id: number, teams: number[]) {
  const members = async (team: number) =>
    (await store.rows.list('members', { team }, wholePage)).items.map(({ email }) => email);
  const keys = async (team: number) =>
    (await store.rows.list('apiKeys', { team }, wholePage)).items.map(({ name }) => name);
  return {
    record: await store.users.find({ email: victim }),
    identities: await store.rows.read('identities', { user: id }),
    teams: (await store.rows.list('teamsOf', { user: id }, wholePage)).items.map(({ name }) => name),
    in: await Promise.all(teams.map(async (team) => [await members(team), await keys(team)])),
  };
}

onEachStore('a forged archive changes nothing of people who were there before', async ({ store }, t) => {
  const id = await newUser(store, victim);
  const shop = await store.teams.insert({ name: 'Shop', kind: 'shared', founder: id, createdAt: at });
  const ops = await store.teams.insert({ name: 'Ops', kind: 'managed', founder: null, createdAt: at });
  assert.ok(shop && ops);
  const before = await people(store, id, [id, shop.id, ops.id]);
  const folder = await openArchiveFolder(newFolder(t));
  await folder.writePeople(hostile);
  const ports = importPorts(store);
  for (let run = 0; run < 2; run += 1) {
    const { leftAlone } = await importArchive(ports, folder);
    assert.deepEqual(leftAlone, [victim, 'Shop', 'Ops']);
    assert.deepEqual(await people(store, id, [id, shop.id, ops.id]), before);
  }
  assert.equal(await store.users.find({ identity: forged }), null);
  const [made] = (await store.accounts.list(id, {}, wholePage)).items;
  assert.equal(made?.address, 'a@new.test', 'mail is added');
  assert.equal(
    (await store.rows.read('credentials', { team: id })).passwords.get(made?.id ?? 0) ?? null,
    null,
  );
  for (const hash of ['her own', 'in a new team'])
    assert.equal((await store.apiKeys.findByHash(hash))?.role, 'owner', 'new people are made');

  const trusted = await importArchive(ports, folder, { trustPeople: true });
  assert.deepEqual(trusted.leftAlone, []);
  assert.equal((await store.users.find({ identity: forged }))?.user.id, id);
  assert.ok(await store.apiKeys.findByHash('into the personal team'));
  assert.equal(await store.teams.roleOf(shop.id, id), 'owner');
});

onEachStore(
  'an import that ended among people goes on, and a later archive does not',
  async ({ store }, t) => {
    const ports = importPorts(store);
    const folder = await openArchiveFolder(newFolder(t));
    await folder.writePeople(hostile);
    let keys = 0;
    const change: Store['rows']['change'] = (made, args) => {
      if (made.name === addKey.name) keys += 1;
      if (keys === 2) throw new Error('killed');
      return store.rows.change(made, args);
    };
    const dying = { ...ports, rows: { ...store.rows, change } };
    await assert.rejects(importArchive(dying, folder), /killed/);
    assert.deepEqual((await importArchive(ports, folder)).leftAlone, []);
    for (const hash of ['into the personal team', 'into a shared team', 'into a managed team'])
      assert.ok(await store.apiKeys.findByHash(hash), hash);
    const another = await openArchiveFolder(newFolder(t));
    await another.writePeople({
      users: [user(1, victim)],
      teams: [team(1, victim, 'personal', { apiKeys: [key('later')] })],
    });
    assert.deepEqual((await importArchive(ports, another)).leftAlone, [victim]);
    assert.equal(await store.apiKeys.findByHash('later'), null);
  },
);

onEachStore('who reads the audit log cannot forge an archive that made a team', async ({ store }, t) => {
  const ports = importPorts(store);
  const place = newFolder(t);
  const honest = await openArchiveFolder(place);
  await honest.writePeople({ users: [user(1, victim)], teams: [team(1, victim, 'personal')] });
  await importArchive(ports, honest);
  const id = (await store.users.find({ email: victim }))?.user.id ?? 0;
  const noted = (await store.rows.list('auditLog', { team: id }, wholePage)).items.find(
    ({ action }) => action === 'team.imported',
  );
  assert.ok(noted);
  const secret = readFileSync(path.join(place, 'archive-id'), 'utf8').trim();
  assert.equal(Buffer.from(secret, 'base64url').length, 32);
  assert.notEqual(noted.target, secret);
  const forger = newFolder(t);
  // Texts of a secret's length that the entry reveals.
  for (const known of [noted.target, noted.target.slice(0, 43), noted.target.slice(-43)]) {
    writeFileSync(path.join(forger, 'archive-id'), `${known}\n`);
    const folder = await openArchiveFolder(forger);
    await folder.writePeople({
      users: [user(1, victim)],
      teams: [team(1, victim, 'personal', { apiKeys: [key('forged')] })],
    });
    const outcome = await importArchive(ports, folder).catch((error: Error) => error.message);
    if (typeof outcome === 'string') assert.match(outcome, /archive-id must consist of/);
    else assert.deepEqual(outcome.leftAlone, [victim]);
    assert.equal(await store.apiKeys.findByHash('forged'), null);
  }
});
