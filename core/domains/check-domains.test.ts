import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MxChecks } from './check-domains.ts';
import type { Domain, DomainStore } from './domain.ts';
import { type MxAnswer, unverified } from './verdict.ts';

const bounds = { mxChecks: 200, mxChecksPerUser: 5 };
const start = new Date('2026-11-21T10:00:00Z');

test('a user with many domains in two teams, whose name servers do not answer, holds up nobody', async () => {
  let id = 0;
  const domain = (owner: number, name: string): Domain => {
    id += 1;
    const verification = unverified(start);
    const times = { createdAt: start, updatedAt: start };
    return { id, owner, name, active: true, verification, managedBy: null, assumedClientIp: null, ...times };
  };
  const rows = [
    ...Array.from({ length: 1000 }, (_, index) => domain(index % 2 === 0 ? 1 : 11, `slow${index}.test`)),
    domain(2, 'second.test'),
    domain(3, 'third.test'),
  ];
  const asked: string[] = [];
  const answers: (() => void)[] = [];
  const silent: MxAnswer = { kind: 'unknown', detail: 'no answer' };
  const domains = {
    async dueForCheck(now: Date, limit: number, except: number[]) {
      const due = rows.filter(
        ({ owner, verification: { nextCheckAt } }) =>
          !except.includes(owner) && nextCheckAt !== null && nextCheckAt <= now,
      );
      return due.slice(0, limit);
    },
    async writeVerdict(wanted: number, _before: Date | null, verdict: Domain['verification']) {
      const row = rows.find((candidate) => candidate.id === wanted);
      assert.ok(row);
      row.verification = verdict;
      return true;
    },
  } as unknown as DomainStore;
  const mx = {
    resolveMx(name: string): Promise<MxAnswer> {
      asked.push(name);
      if (!name.startsWith('slow')) return Promise.resolve(silent);
      return new Promise((resolve) => answers.push(() => resolve(silent)));
    },
  };
  const checked: string[] = [];
  const checks = new MxChecks(
    { domains, payers: { of: async (team) => team % 10 }, mx, clock: () => start },
    [],
    { pendingMs: 60_000, settledMs: 600_000 },
    { onChecked: ({ name }) => checked.push(name), onError: (error) => assert.fail(String(error)) },
    bounds,
  );
  await checks.begin();
  await new Promise(setImmediate);
  assert.deepEqual(checked, ['second.test', 'third.test']);
  assert.equal(asked.length, bounds.mxChecksPerUser + 2);
  await checks.begin();
  assert.equal(asked.length, bounds.mxChecksPerUser + 2, 'none is asked twice');
  for (const answer of answers.splice(0)) answer();
  await checks.settled();
  await checks.begin();
  assert.equal(asked.length, 2 * bounds.mxChecksPerUser + 2);
  for (const answer of answers) answer();
  await checks.settled();
  assert.equal(checked.length, asked.length);
});
