import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Role } from '#core/access/role.ts';
import { ForbiddenRole, Invalid, NotFound } from '#core/errors.ts';
import type { ReadScope } from '#core/reads.ts';
import type { Domain } from './domain.ts';
import type { DomainMoves, MoveRefusal } from './move.ts';
import { finishMoves, moveDomain } from './move-domain.ts';

const domain = { id: 3, owner: 1, name: 'app.test' } as Domain;
const at = new Date();

/** Store of team 1 with domain 3, whose move to team 2 takes `steps` steps. */
function world({ steps = 1, refusal = null }: { steps?: number; refusal?: MoveRefusal | null } = {}) {
  const announced: number[] = [];
  let taken = 0;
  const step = () => {
    taken += 1;
    return { commits: [{ owner: 1, result: 1, events: [] }], done: taken >= steps };
  };
  const moves: DomainMoves = {
    begin: async (owner, id, to) => {
      if (owner !== 1 || id !== 3) return null;
      return refusal ?? { domain: { ...domain, owner: to }, ...step() };
    },
    step: async () => (taken === 0 || taken >= steps ? null : step()),
  };
  const roles: Record<number, Role> = { 2: 'owner', 4: 'member' };
  const ports = {
    moves,
    rows: {
      read: async (_: string, scope: ReadScope) =>
        (scope.team === 1 && scope.domain === 3 ? domain : null) as never,
    },
    teams: { find: async () => null, roleOf: async (team: number) => roles[team] ?? null },
    domainSuffixes: [],
    bus: { announce: (owner: number) => void announced.push(owner) },
    quotas: { domains: 1, accounts: 1, storageBytes: 1 },
    clock: () => at,
  };
  return { ports, announced, taken: () => taken };
}

const never = new AbortController().signal;
const mover = { team: 1, user: 9 };

test('a move takes all of its steps and announces their events', async () => {
  for (const steps of [1, 2, 5]) {
    const { ports, announced, taken } = world({ steps });
    assert.deepEqual(await moveDomain(ports, mover, 3, 2, never), { ...domain, owner: 2 });
    assert.deepEqual([taken(), announced.length], [steps, steps]);
  }
});

test('a move to a team that may not register the domain is refused', async () => {
  const { ports, taken } = world();
  const domainSuffixes = [{ team: null, suffix: 'example' }];
  await assert.rejects(moveDomain({ ...ports, domainSuffixes }, mover, 3, 2, never), /must end in example/);
  assert.equal(taken(), 0);
});

test('a move whose caller leaves goes on in the upkeep', async () => {
  const { ports, announced, taken } = world({ steps: 4 });
  await moveDomain(ports, mover, 3, 2, AbortSignal.abort());
  assert.equal(taken(), 1);
  await finishMoves(ports, AbortSignal.abort());
  assert.equal(taken(), 1, 'not while the program stops');
  await finishMoves(ports, never);
  assert.deepEqual([taken(), announced.length], [4, 4]);
});

test('a move is for owners of both teams, and a domain that is missing is told first', async () => {
  const cases: [
    string,
    { user?: number | null; id?: number; to?: number },
    new (...args: never[]) => Error,
  ][] = [
    ['a team that the caller is not in', { to: 5 }, Invalid],
    ['no user', { user: null }, Invalid],
    ['a member of the target', { to: 4 }, ForbiddenRole],
    ['the same team', { to: 1 }, Invalid],
    ['no such domain', { id: 8 }, NotFound],
    ['no such domain, and a foreign team', { id: 8, to: 5 }, NotFound],
    ['no such domain, and the same team', { id: 8, to: 1 }, NotFound],
  ];
  for (const [name, { user = 9, id = 3, to = 2 }, expected] of cases) {
    const { ports, taken } = world();
    await assert.rejects(moveDomain(ports, { team: 1, user }, id, to, never), expected, name);
    assert.equal(taken(), 0, name);
  }
  const { ports } = world({ refusal: { field: 'to', message: 'is full', limit: 'owned.domains' } });
  await assert.rejects(moveDomain(ports, mover, 3, 2, never), (error) => {
    assert.ok(error instanceof Invalid);
    assert.deepEqual(
      [error.violations, error.limits],
      [[{ field: 'to', message: 'is full' }], ['owned.domains']],
    );
    return true;
  });
});
