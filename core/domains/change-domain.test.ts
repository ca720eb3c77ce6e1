import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Facts } from '#core/change.ts';
import { removeDomain, setDomain } from './change-domain.ts';
import { addDomain } from './create-domain.ts';
import type { Domain } from './domain.ts';
import { unverified } from './verdict.ts';

const now = new Date(1000);
const verification = unverified(now);
const state = { active: true, verification, managedBy: 'qa/app', assumedClientIp: null };
const domain: Domain = { id: 5, owner: 3, name: 'app.test', ...state, createdAt: now, updatedAt: now };
const team = { id: 3, name: 'qa', kind: 'shared', createdAt: now } as const;
const facts = (more: Partial<Facts>) =>
  ({ newDomain: 5, team, domains: 1, related: null, domain, ...more }) as Facts;

const add = (more: Partial<Facts> = {}) =>
  addDomain.plan(facts(more), { team: 3, domain: 'app.test', ...state, createdAt: now, quota: 2 });
const set = (more: Partial<Facts>, manager: string | null) =>
  setDomain.plan(facts(more), { team: 3, domain: 5, set: { active: false }, manager, now });
const remove = (more: Partial<Facts>, manager: string | null) =>
  removeDomain.plan(facts(more), { team: 3, domain: 5, manager, now });

const refusals: [string, () => unknown, RegExp][] = [
  ['a new one of a team that is gone', () => add({ team: null }), /NotFound/],
  ['one too many', () => add({ domains: 2 }), /the limit of 2 domains has been reached/],
  ['one below that of another team', () => add({ related: 'test' }), /parent or subdomain of another/],
  ['a change of what is not there', () => set({ domain: null }, null), /NotFound/],
  ['a change by another manager', () => set({}, null), /is managed by the Kubernetes resource qa\/app/],
  ['a deletion of what is not there', () => remove({ domain: null }, null), /NotFound/],
  ['a deletion by another manager', () => remove({}, 'qa/other'), /is managed by the Kubernetes resource/],
];

for (const [name, plan, message] of refusals)
  test(`a domain: ${name} is refused`, () => assert.throws(plan, message));

test('a domain is added, changed and deleted by its manager', () => {
  assert.deepEqual(add(), { writes: [{ do: 'add-domain', domain }], result: domain });
  const { writes, result } = set({}, 'qa/app');
  assert.deepEqual(writes, [{ do: 'set-domain', domain: 5, set: { active: false, updatedAt: now } }]);
  assert.deepEqual(result, { ...domain, active: false });
  assert.deepEqual(remove({}, 'qa/app').writes, [{ do: 'delete-domain', domain: 5, now }]);
});
