import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import type { ArchivedPeople, ArchivedTeam } from '#core/archive/archive-shapes.ts';
import type { Store } from '#core/store.ts';
import { recordWith } from './mail.ts';

export const at = new Date('2026-11-21T10:00:00.123Z');
export const [victim, mallory] = ['victim@app.test', 'mallory@evil.test'];
/** Hash of `password` that costs less than the program's. */
export const passwordHash =
  '$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4';
export const forged = { issuer: 'https://evil.test', subject: 'mallory' };
const own = { issuer: 'https://evil.test', subject: 'own' };
const grants: ArchivedTeam['members'][number]['grants'] = [{ source: 'direct', role: 'owner' }];

export const key = (hash: string, createdBy: string | null = null): ArchivedTeam['apiKeys'][number] => ({
  name: hash,
  prefix: 'sp_',
  hash,
  scope: 'full',
  expiresAt: null,
  createdBy,
  managedBy: null,
  createdAt: at,
});
export const user = (id: number, email: string, identities = [own]): ArchivedPeople['users'][number] => ({
  id,
  email,
  passwordHash,
  createdAt: at,
  emailVerified: true,
  disabledAt: null,
  identities,
});
export const domain = (name: string): ArchivedTeam['domains'][number] => ({
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
  passwordHash,
  mailboxes: [{ id, path: 'INBOX', system: true }],
});
export const team = (
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

/** People in an archive that puts its author into other people's teams. */
export const hostile: ArchivedPeople = {
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

export const importPorts = (store: Store) => ({
  ...store,
  log: { info: () => {}, error: assert.fail },
  clock: () => new Date(),
  examiner: { examine: async () => recordWith(), close: async () => {} },
});

export function newFolder(t: TestContext): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'sandpost-archive-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
