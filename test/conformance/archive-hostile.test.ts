import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { openArchiveFolder } from '#core/adapters/archive-folder.ts';
import type { ArchivedPeople, ArchivedTeam } from '#core/archive/archive.ts';
import { importArchive } from '#core/archive/import-archive.ts';
import type { Store } from '#core/store.ts';
import { mail } from './mail.ts';
import { newUser, onEachStore, wholePage } from './scene.ts';

const at = new Date('2026-11-21T10:00:00.123Z');
const [victim, mallory] = ['victim@app.test', 'mallory@evil.test'];
const forged = { issuer: 'https://evil.test', subject: 'mallory' };
const own = { issuer: 'https://evil.test', subject: 'own' };
const grants: ArchivedTeam['members'][number]['grants'] = [{ source: 'direct', role: 'owner' }];

const key = (hash: string, createdBy: string | null = null): ArchivedTeam['apiKeys'][number] => ({
  name: hash,
  prefix: 'sp_',
  hash,
  scope: 'full',
  expiresAt: null,
  createdBy,
  managedBy: null,
  createdAt: at,
});
const user = (id: number, email: string, identities = [own]): ArchivedPeople['users'][number] => ({
  id,
  email,
  passwordHash: 'forged',
  createdAt: at,
  emailVerified: true,
  disabledAt: null,
  identities,
});
const domain = (name: string): ArchivedTeam['domains'][number] => ({
  name,
  active: true,
  verification: {
    status: 'verified',
    source: 'manual',
    detail: null,
    refusals: 0,
    checkedAt: null,
    nextCheckAt: null,
  },
  managedBy: null,
  createdAt: at,
});
const account = (id: number, address: string): ArchivedTeam['accounts'][number] => ({
  id,
  address,
  active: true,
  catchAll: false,
  capture: false,
  storageLimit: 1_000_000,
  managedBy: null,
  createdAt: at,
  passwordHash: 'forged',
  mailboxes: [{ id, path: 'INBOX', system: true }],
});
const team = (
  id: number,
  name: string,
  kind: ArchivedTeam['kind'],
  more: Partial<ArchivedTeam> = {},
): ArchivedTeam => ({
  id,
  name,
  kind,
  createdAt: at,
  members: [{ email: mallory, grants, joinedAt: at }],
  apiKeys: [],
  domains: [],
  accounts: [],
  ...more,
});

/** People of an archive that puts its maker into the teams of others. */
const hostile: ArchivedPeople = {
  users: [user(1, victim, [forged]), user(2, mallory)],
  teams: [
    team(1, victim, 'personal', {
      apiKeys: [key('into the personal team'), key('of mallory', mallory)],
      domains: [domain('new.test')],
      accounts: [account(1, 'a@new.test')],
    }),
    team(2, mallory, 'personal', { apiKeys: [key('her own', mallory)] }),
    team(3, 'Shop', 'shared', { apiKeys: [key('into a shared team')] }),
    team(4, 'Ops', 'managed', { apiKeys: [key('into a managed team')] }),
    team(5, 'New', 'shared', {
      members: [
        { email: mallory, grants, joinedAt: at },
        { email: victim, grants, joinedAt: at },
      ],
      apiKeys: [key('in a new team', mallory)],
    }),
  ],
};

const importPorts = (store: Store) => ({
  ...store,
  log: { error: assert.fail },
  clock: () => new Date(),
  examiner: { examine: async () => mail([]).record, close: async () => {} },
});

function newFolder(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'sandpost-archive-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** State of people that an archive could change. */
async function people(store: Store, id: number, teams: number[]) {
  const members = async (team: number) =>
    (await store.teams.members(team, wholePage)).items.map(({ email }) => email);
  const keys = async (team: number) =>
    (await store.apiKeys.list(team, wholePage)).items.map(({ name }) => name);
  return {
    record: await store.users.findByEmail(victim),
    identities: await store.archive.identities(id),
    teams: (await store.teams.listOf(id, wholePage)).items.map(({ name }) => name),
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
  assert.equal(await store.users.findByIdentity(forged), null);
  const [made] = (await store.accounts.list(id, {}, wholePage)).items;
  assert.equal(made?.address, 'a@new.test', 'mail is added');
  assert.equal(await store.archive.accountPassword(id, made?.id ?? 0), null);
  for (const hash of ['her own', 'in a new team'])
    assert.equal((await store.apiKeys.findByHash(hash))?.role, 'owner', 'new people are made');

  const trusted = await importArchive(ports, folder, { trustPeople: true });
  assert.deepEqual(trusted.leftAlone, []);
  assert.equal((await store.users.findByIdentity(forged))?.user.id, id);
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
    const insert: Store['apiKeys']['insert'] = (...args) => {
      keys += 1;
      if (keys === 2) throw new Error('killed');
      return store.apiKeys.insert(...args);
    };
    const dying = { ...ports, apiKeys: { ...store.apiKeys, insert } };
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

/** Writes an archive of one message by hand, and changes its line. */
async function withMessage(t: TestContext, words: object = {}): Promise<string> {
  const place = newFolder(t);
  const folder = await openArchiveFolder(place);
  const { users, teams } = hostile;
  const [one] = teams;
  assert.ok(one);
  await folder.writePeople({ users, teams: [{ ...one, apiKeys: [], members: [] }] });
  const none = { result: 'none', domain: null } as const;
  const message = {
    ...{ id: 1, team: 1, number: 1, accountId: 1, mailboxId: 1, receivedAt: at, expiresAt: null },
    ...{
      autoDelete: true,
      isRead: false,
      isFlagged: false,
      copy: false,
      sizeBytes: 5,
      deliveredTo: 'a@new.test',
    },
    tag: null,
    envelope: {
      mailFrom: '',
      rcptTo: ['a@new.test'],
      helo: null,
      remoteAddress: null,
      tls: false,
      receivedBy: 'x',
    },
    authentication: {
      spf: { ...none, explanation: null },
      dkim: [],
      dmarc: { ...none, policy: null, alignedSpf: false, alignedDkim: false },
      arc: { result: 'none' as const },
      header: '',
    },
    audit: { critical: [], warning: [], info: [], passed: [] },
  };
  const bytes = async function* () {
    yield Buffer.from('a: b\n');
  };
  await folder.addMessage(message, bytes());
  writeFileSync(path.join(place, 'messages/2.eml'), 'a: b\n');
  appendFileSync(path.join(place, 'messages.jsonl'), `${JSON.stringify({ ...message, id: 2, ...words })}\n`);
  return place;
}

const bad: [what: string, words: object, sentence: RegExp][] = [
  ['an id that is a path', { id: '../../secret' }, /messages\.jsonl, line 2: id must be an id/],
  ['an id that is no id', { id: 1.5 }, /messages\.jsonl, line 2: id must be an id/],
  ['a flag that is none', { isRead: 'yes' }, /messages\.jsonl, line 2: isRead must be true or false/],
  ['a time that is none', { receivedAt: 'soon' }, /messages\.jsonl, line 2: receivedAt must be a time/],
  ['a count below zero', { sizeBytes: -1 }, /messages\.jsonl, line 2: sizeBytes must be a count/],
  ['an envelope without recipients', { envelope: {} }, /line 2: envelope\.mailFrom must be a text/],
  ['checks that are none', { audit: { critical: [7] } }, /line 2: audit\.critical\[0\] must be an object/],
  ['more bytes than it has', { sizeBytes: 6 }, /2\.eml has 5 bytes, while messages\.jsonl says 6/],
];
for (const [what, words, sentence] of bad) {
  onEachStore(`a message with ${what} stops an import, which names it`, async ({ store }, t) => {
    const folder = await openArchiveFolder(await withMessage(t, words));
    await assert.rejects(importArchive(importPorts(store), folder), sentence);
  });
}

test('links and other files than regular ones are not read', async (t) => {
  const secret = path.join(newFolder(t), 'secret');
  writeFileSync(secret, 'a: b\nno end of line');
  const read = async (place: string) => {
    const folder = await openArchiveFolder(place);
    for await (const { id, sizeBytes } of folder.messages())
      for await (const _ of folder.openMessage(id, sizeBytes));
    await folder.imported('here');
    await folder.noteImported('here', 1, 2);
  };
  const leads: [what: string, change: (place: string) => void, sentence: RegExp][] = [
    ['a message', (place) => link(place, 'messages/1.eml'), /messages\/1\.eml is a link/],
    ['the list', (place) => link(place, 'messages.jsonl'), /messages\.jsonl is a link/],
    ['the manifest', (place) => link(place, 'manifest.json'), /manifest\.json is a link/],
    ['the table', (place) => link(place, 'imported.jsonl'), /imported\.jsonl is a link/],
    [
      'the folder of messages',
      (place) => {
        const elsewhere = path.join(newFolder(t), 'elsewhere');
        renameSync(path.join(place, 'messages'), elsewhere);
        symlinkSync(elsewhere, path.join(place, 'messages'));
      },
      /messages must be a folder, and no link to one/,
    ],
    [
      'a folder in the place of a message',
      (place) => {
        rmSync(path.join(place, 'messages/1.eml'));
        mkdirSync(path.join(place, 'messages/1.eml'));
      },
      /messages\/1\.eml must be a regular file/,
    ],
  ];
  function link(place: string, name: string): void {
    rmSync(path.join(place, name), { force: true });
    symlinkSync(secret, path.join(place, name));
  }
  for (const [what, change, sentence] of leads) {
    const place = await withMessage(t, { id: 1 });
    await read(place);
    rmSync(path.join(place, 'imported.jsonl'));
    change(place);
    await assert.rejects(read(place), sentence, what);
    assert.equal(readFileSync(secret, 'utf8'), 'a: b\nno end of line', what);
  }
});

const manifests: [what: string, change: (people: ArchivedPeople) => unknown, sentence: RegExp][] = [
  ['no users', ({ teams }) => ({ teams }), /manifest\.json\.users must be a list/],
  [
    'a role that is none',
    ({ users, teams: [first] }) => ({
      users,
      teams: [
        {
          ...first,
          members: [{ email: mallory, joinedAt: at, grants: [{ source: 'direct', role: 'root' }] }],
        },
      ],
    }),
    /manifest\.json\.teams\[0\]\.members\[0\]\.grants\[0\]\.role must be one of viewer, member, owner/,
  ],
  [
    'a source of a resource',
    ({ users, teams: [first] }) => ({
      users,
      teams: [
        { ...first, members: [{ email: mallory, joinedAt: at, grants: [{ source: 'a/b', role: 'owner' }] }] },
      ],
    }),
    /grants\[0\]\.source must be one of direct, group/,
  ],
  [
    'a domain that is none',
    ({ users, teams: [first] }) => ({ users, teams: [{ ...first, domains: [{ ...domain('Up.test') }] }] }),
    /domains\[0\]\.name must be a domain in lower case/,
  ],
];
for (const [what, change, sentence] of manifests) {
  test(`a manifest with ${what} is refused in one sentence`, async (t) => {
    const place = newFolder(t);
    const folder = await openArchiveFolder(place);
    writeFileSync(
      path.join(place, 'manifest.json'),
      JSON.stringify({ format: 2, ...(change(hostile) as object) }),
    );
    await assert.rejects(folder.readPeople(), sentence);
  });
}
