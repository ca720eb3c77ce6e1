import assert from 'node:assert/strict';
import {
  appendFileSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { openArchiveFolder } from '#adapters/archive-folder.ts';
import type { ArchivedPeople } from '#core/archive/archive-shapes.ts';
import { importArchive } from '#core/archive/import-archive.ts';
import {
  at,
  domain,
  hostile,
  importPorts,
  mallory,
  newFolder,
  passwordHash,
  team,
  user,
  victim,
} from './hostile-archive.ts';
import { newUser, onEachStore, wholePage } from './scene.ts';

/** Writes a single-message archive by hand, and changes its line. */
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
  ['more bytes than it has', { sizeBytes: 6 }, /2\.eml is 5 bytes, but messages\.jsonl specifies 6/],
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
    ['a message', (place) => link(place, 'messages/1.eml'), /messages\/1\.eml is a symbolic link/],
    ['the list', (place) => link(place, 'messages.jsonl'), /messages\.jsonl is a symbolic link/],
    ['the manifest', (place) => link(place, 'manifest.json'), /manifest\.json is a symbolic link/],
    ['the table', (place) => link(place, 'imported.jsonl'), /imported\.jsonl is a symbolic link/],
    [
      'the folder of messages',
      (place) => {
        const elsewhere = path.join(newFolder(t), 'elsewhere');
        renameSync(path.join(place, 'messages'), elsewhere);
        symlinkSync(elsewhere, path.join(place, 'messages'));
      },
      /messages must be a folder, not a symbolic link/,
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
    /domains\[0\]\.name must be a lowercase domain/,
  ],
  ...['m=9999999,t=2,p=1', 'm=19456,t=99,p=1', 'm=19456,t=2,p=64'].map((cost): (typeof manifests)[number] => [
    `a password hash of ${cost}`,
    ({ users: [first], teams }) => ({
      users: [{ ...first, passwordHash: passwordHash.replace('m=256,t=2,p=1', cost) }],
      teams,
    }),
    /users\[0\]\.passwordHash must be an argon2id hash with at most m=19456,t=2,p=1/,
  ]),
  [
    'an expensive password hash of an account',
    ({ users, teams: [first] }) => ({
      users,
      teams: [
        {
          ...first,
          accounts: first?.accounts.map((one) => ({
            ...one,
            passwordHash: passwordHash.replace('t=2', 't=9'),
          })),
        },
      ],
    }),
    /teams\[0\]\.accounts\[0\]\.passwordHash must be an argon2id hash/,
  ],
  [
    'an e-mail with a KELVIN SIGN',
    ({ users: [first], teams }) => ({ users: [{ ...first, email: '\u212Aim@app.test' }], teams }),
    /users\[0\]\.email contains characters that look like other letters/,
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

test('what stores have imported is noted for each of them, and a line that a crash cut off is none', async (t) => {
  const place = newFolder(t);
  const table = path.join(place, 'imported.jsonl');
  const folder = await openArchiveFolder(place);
  for (const [store, old, fresh] of [
    ['here', 1, 11],
    ['there', 1, 21],
    ['here', 2, 12],
  ] as const)
    await folder.noteImported(store, old, fresh);
  const whole = readFileSync(table, 'utf8');
  truncateSync(table, whole.length - 2);
  const again = await openArchiveFolder(place);
  assert.deepEqual([...(await again.imported('here'))], [[1, 11]]);
  await again.noteImported('here', 2, 12);
  assert.equal(readFileSync(table, 'utf8'), whole);
  assert.deepEqual([...(await again.imported('there'))], [[1, 21]]);
});

onEachStore('an e-mail in capitals is that of the user who is there', async ({ store }, t) => {
  const id = await newUser(store, victim);
  const before = (await store.rows.list('users', {}, wholePage)).total;
  const folder = await openArchiveFolder(newFolder(t));
  const name = 'Victim@App.test';
  await folder.writePeople({
    users: [user(1, name, [])],
    teams: [team(1, name, 'personal', { members: [], domains: [domain('new.test')] })],
  });
  assert.deepEqual((await importArchive(importPorts(store), folder)).leftAlone, [name]);
  assert.equal((await store.rows.list('users', {}, wholePage)).total, before);
  assert.equal((await store.rows.read('domain', { team: id, domain: 'new.test' }))?.name, 'new.test');
});
