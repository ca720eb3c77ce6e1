import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { openArchiveFolder } from '#adapters/archive-folder.ts';
import type { Grant } from '#core/access/role.ts';
import type { ArchiveFolder } from '#core/archive/archive.ts';
import { exportArchive } from '#core/archive/export-archive.ts';
import { importArchive } from '#core/archive/import-archive.ts';
import type { Id } from '#core/ids.ts';
import { addMailRule } from '#core/rules/change-mail-rules.ts';
import { addSearch } from '#core/search/change-saved-searches.ts';
import type { PeopledStore as Store } from '#test/support/stores/people.ts';
import { stores } from '#test/support/stores/store.ts';
import { passwordHash } from './hostile-archive.ts';
import { recordWith } from './mail.ts';
import { deliver, idsOf, newAccount, newDomain, wholePage } from './scene.ts';

const clock = () => new Date();
const at = (second: number) => new Date(Date.UTC(2026, 10, 1, 10, 0, second));
const ada = 'ada@team.test';
const bob = 'bob@team.test';
const identities = [
  { issuer: 'https://a.test', subject: 'ada' },
  { issuer: 'https://b.test', subject: 'lovelace' },
];

const importPorts = (store: Store) => ({
  ...store,
  log: { info: () => {}, error: assert.fail },
  clock,
  examiner: { examine: async () => recordWith(), close: async () => {} },
});

/** Fills a store with two people, their personal teams, a managed team, and two shared teams with the same name. */
async function fill(store: Store): Promise<void> {
  const [identity, second] = identities;
  const her = await store.users.insert(ada, passwordHash, at(1), {
    emailVerified: true,
    ...(identity && { identity }),
  });
  const him = await store.users.insert(bob, passwordHash, at(2));
  assert.ok(her && him && second);
  assert.ok(await store.users.vouch(her.id, { identity: second }));
  await store.teams.rename(her.id, 'Ada alone');
  const managed = { name: 'namespace/shop', kind: 'managed', founder: null, createdAt: at(3) } as const;
  const shared = { name: 'Checkout', kind: 'shared', founder: her.id, createdAt: at(4) } as const;
  const teams = [
    await store.teams.insert(managed),
    await store.teams.insert(shared),
    await store.teams.insert({ ...shared, createdAt: at(5) }),
    await store.teams.insert(shared),
  ];
  const [shop, first, , third] = teams.map((team) => team?.id ?? 0);
  const grant = (team: Id | undefined, user: Id, one: Grant) =>
    store.teams.grant(team ?? 0, user, one, { now: at(6) });
  await grant(first, him.id, { source: 'direct', role: 'viewer' });
  await grant(first, him.id, { source: 'group', role: 'member' });
  await grant(third, him.id, { source: 'direct', role: 'owner' });
  await grant(shop, him.id, { source: 'shop/bob', role: 'owner' });
  await grant(shop, her.id, { source: 'shop/ada', role: 'owner' });
  await grant(shop, her.id, { source: 'group', role: 'viewer' });
  const key = { name: 'ci', prefix: 'sp_', createdAt: at(7) };
  const read = { scope: 'read', expiresAt: at(60), createdBy: him } as const;
  await store.apiKeys.insert(first ?? 0, { ...key, ...read, hash: 'read' });
  await store.apiKeys.insert(shop ?? 0, { ...key, hash: 'managed', managedBy: 'shop/ci' });
  await store.apiKeys.insert(shop ?? 0, { ...key, hash: 'by bob', createdBy: him });
  await store.apiKeys.insert(her.id, { ...key, hash: 'send', scope: 'send', createdBy: her });
  for (const [index, team] of [her.id, shop, first, third].entries()) {
    const domain = await newDomain(store, team ?? 0, `d${index}.test`);
    const simulates = { simulatesFailures: index === 1 };
    const account = await newAccount(store, team ?? 0, domain.id, `qa@d${index}.test`, simulates);
    for (let n = 0; n <= index; n += 1) await deliver(store, account);
  }
  for (const name of ['Codes', 'Bounces'])
    await store.rows.change(addSearch, { team: first ?? 0, name, q: `subject:${name}` });
  const rule = { q: 'has:code', active: true, tags: ['money'], mailbox: 'Codes', expiresIn: 60 };
  const flags = { isRead: true, isFlagged: false, discard: false };
  for (const name of ['First', 'Second'])
    await store.rows.change(addMailRule, { team: third ?? 0, words: { name, ...rule, ...flags } });
  await store.users.setDisabled(him.id, at(8));
}

/**
 * Describes everything that an archive moves except message contents, without IDs. Excludes grants of Kubernetes resources, because the
 * operator creates them again.
 */
async function describe(store: Store): Promise<unknown> {
  const users = await store.rows.list('users', {}, wholePage);
  const people = users.items.map(async ({ user: { id, ...user }, ...record }) => ({
    ...user,
    ...record,
    identities: (await store.rows.read('identities', { user: id })).map((identity) => ({ ...identity })),
  }));
  const teams = (await store.rows.list('teams', { personal: true }, wholePage)).items.map(
    async ({ id, ...team }) => ({
      ...team,
      isPersonal: users.items.some(({ user }) => user.id === id),
      members: (await store.rows.list('members', { team: id }, wholePage)).items.flatMap(
        ({ email, grants, joinedAt }) => {
          const lasting = grants.filter(({ source }) => !source.includes('/'));
          return lasting.length === 0 ? [] : [{ email, grants: lasting, joinedAt }];
        },
      ),
      keys: (await store.rows.read('credentials', { team: id })).apiKeys.map((key) => ({ ...key })),
      searches: (await store.rows.read('searches', { team: id })).map(({ name, q }) => ({ name, q })),
      rules: (await store.rows.read('mailRules', { team: id })).map(({ id: _, ...rule }) => rule),
      domains: (await store.rows.list('domains', { team: id }, wholePage)).items.map(({ name }) => name),
      accounts: (await store.accounts.list(id, {}, wholePage)).items.map((account) => [
        account.address,
        account.simulatesFailures,
      ]),
      messages: (await idsOf(store, id, {})).length,
    }),
  );
  return { people: await Promise.all(people), teams: await Promise.all(teams) };
}

const [sqlite, mongodb] = stores;
assert.ok(sqlite && mongodb);

for (const [from, into] of [
  [sqlite, sqlite],
  [sqlite, mongodb],
  [mongodb, sqlite],
] as const) {
  test(`${from.name} to ${into.name}: users and teams move with members, keys and mail`, async (t) => {
    const place = mkdtempSync(path.join(tmpdir(), 'sandpost-archive-'));
    t.after(() => rmSync(place, { recursive: true, force: true }));
    const folder = await openArchiveFolder(place);
    const source = await from.open();
    await fill(source.store);
    const mails = 10;
    const exporting = { ...source.store, clock, retentionDays: 90 };
    assert.equal(await exportArchive(exporting, folder), mails);
    assert.equal(await exportArchive(exporting, folder), 0);
    const before = await describe(source.store);
    await source.dispose();

    const target = await into.open();
    t.after(() => target.dispose());
    const { store } = target;
    await assert.rejects(importArchive(importPorts(store), failingAt(folder, 5)), /killed/);
    assert.equal((await importArchive(importPorts(store), folder)).messages, mails - 4);
    assert.deepEqual(await describe(store), before);
    assert.equal((await importArchive(importPorts(store), folder)).messages, 0);
    assert.deepEqual(await describe(store), before, 'a repeated import adds nothing');

    const holder = await store.apiKeys.findByHash('send');
    assert.deepEqual([holder?.key.scope, holder?.role], ['send', 'owner']);
    assert.equal(await store.apiKeys.findByHash('read'), null, 'of a user who is disabled');
    const him = await store.users.find({ email: bob });
    await store.users.setDisabled(him?.user.id ?? 0, null);
    const member = await store.apiKeys.findByHash('read');
    assert.deepEqual([member?.key.scope, member?.key.expiresAt, member?.role], ['read', at(60), 'member']);
    assert.equal(await store.apiKeys.findByHash('by bob'), null, 'until a resource makes him a member again');
    for (const identity of identities) assert.equal((await store.users.find({ identity }))?.user.email, ada);
  });
}

/** Returns a folder whose import is killed at message number `last`. */
function failingAt(folder: ArchiveFolder, last: number): ArchiveFolder {
  let notes = 0;
  return {
    ...folder,
    async noteImported(...note) {
      notes += 1;
      if (notes === last) throw new Error('killed');
      await folder.noteImported(...note);
    },
  };
}
