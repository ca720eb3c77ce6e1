import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type GroupTeam, rolesOf } from './join-teams.ts';

const mapping: GroupTeam[] = [
  { group: 'dev', team: 'Shop', role: 'member' },
  { group: 'lead', team: 'Shop', role: 'owner' },
  { group: 'all', team: 'Shop', role: 'viewer' },
  { group: 'dev', team: 'Ops', role: 'viewer' },
];

const cases: [groups: string[], wanted: Record<string, string>][] = [
  [[], {}],
  [['unknown', 'Dev', 'de'], {}],
  [['all'], { Shop: 'viewer' }],
  [['dev'], { Shop: 'member', Ops: 'viewer' }],
  [['all', 'dev'], { Shop: 'member', Ops: 'viewer' }],
  [['all', 'lead', 'dev', 'dev'], { Shop: 'owner', Ops: 'viewer' }],
];
for (const [groups, wanted] of cases) {
  test(`groups ${groups.join(', ') || 'none'}: the highest role in each team`, () =>
    assert.deepEqual(Object.fromEntries(rolesOf(mapping, groups)), wanted));
}
