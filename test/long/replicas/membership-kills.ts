import assert from 'node:assert/strict';
import { HttpClient } from '#test/support/clients/http.ts';
import { createTeam, join, keyOf, type SharedTeam, sessionOf } from '#test/support/program/team.ts';
import { createUser, ok, type User } from '#test/support/program/user.ts';
import { moment } from '#test/support/runner/clocks.ts';
import { until } from '#test/support/runner/until.ts';
import type { TeamRows } from '#test/support/stores/rows-of-team.ts';

/** Process that answers requests and can be killed and restarted on other ports. */
export type Victim = {
  readonly baseUrl: string;
  readonly httpPort: number;
  kill(): Promise<void>;
  start(): Promise<void>;
  /** Counts a team's rows in the store. */
  rows(team: number): Promise<TeamRows> | TeamRows;
};

/**
 * Membership change in progress. `state` returns the state after a kill, and throws if it is neither the one before nor the one after.
 */
type Change = { name: string; make(): Promise<{ status: number }>; state(): Promise<'before' | 'after'> };

/** Rounds with one kill each, the first soon after the start, the last about `withinMs` later. */
export type Moments = { rounds: number; withinMs: number };

/** Returns a random moment in a round, in ms. Each round covers a separate part of the time, and early parts are short. */
export function momentOf(round: number, { rounds, withinMs }: Moments): number {
  return Math.round(withinMs * ((round + Math.random()) / rounds) ** 2);
}

/** Outcomes by change: states after the kills. */
type Outcomes = Record<string, { before: number; after: number }>;

/**
 * Kills the process amid simultaneous changes of all kinds, a little later in each round. After each kill, checks that each change is
 * either made or not, and is made if it was answered.
 */
export async function killDuringChanges(victim: Victim, { rounds, withinMs }: Moments): Promise<Outcomes> {
  const outcomes: Outcomes = {};
  const [ada, bob] = [await createUser(victim), await createUser(victim)];
  for (let round = 0; round < rounds; round += 1) {
    const changes = await Promise.all([
      acceptance(victim, ada, bob, `a${round}`),
      lowering(victim, ada, bob, `b${round}`),
      removal(victim, ada, bob, `c${round}`),
      deletion(victim, ada, bob, `d${round}`),
    ]);
    const answered = changes.map(({ make }) =>
      make().then(
        ({ status }) => status === 200,
        () => false,
      ),
    );
    await moment(momentOf(round, { rounds, withinMs }));
    await victim.kill();
    const done = await Promise.all(answered);
    await victim.start();
    for (const [index, { name, state }] of changes.entries()) {
      const found = await state();
      assert.ok(found === 'after' || !done[index], `${name} was answered, and is not there`);
      const counts = outcomes[name] ?? { before: 0, after: 0 };
      counts[found] += 1;
      outcomes[name] = counts;
    }
  }
  return outcomes;
}

const memberIn = async (
  victim: Victim,
  founder: User,
  { id }: SharedTeam,
  user: User,
): Promise<string | null> => {
  const { items } = await ok(sessionOf(victim, founder, id).get(`/api/teams/${id}/members`));
  return items.find(({ user_id }: { user_id: number }) => user_id === user.id)?.role ?? null;
};

/** Checks that a user's own view of a team agrees with its owner's. */
async function assertSeen(
  victim: Victim,
  user: User,
  { id }: SharedTeam,
  role: string | null,
): Promise<void> {
  const { items } = await ok(sessionOf(victim, user).get('/api/teams?limit=200'));
  const own = items.find((team: { id: number }) => team.id === id);
  assert.equal(own?.role ?? null, role);
  const { status } = await sessionOf(victim, user, id).get('/api/domains');
  assert.equal(status, role === null ? 404 : 200);
}

async function acceptance(victim: Victim, founder: User, user: User, name: string): Promise<Change> {
  const team = await createTeam(victim, founder, name);
  const { token } = await ok(team.api.post(`/api/teams/${team.id}/invitations`, { role: 'member' }));
  return {
    name: 'acceptance',
    make: () => sessionOf(victim, user).post('/api/invitations/accept', { token }),
    async state() {
      const role = await memberIn(victim, founder, team, user);
      await assertSeen(victim, user, team, role);
      const { status } = await new HttpClient(victim).post('/api/invitations/show', { token });
      assert.equal(status, role === null ? 200 : 404, 'used up with the membership, or neither');
      return role === null ? 'before' : 'after';
    },
  };
}

async function lowering(victim: Victim, founder: User, user: User, name: string): Promise<Change> {
  const team = await createTeam(victim, founder, name);
  await join(victim, team, user, 'owner');
  return {
    name: 'role',
    make: () => team.api.patch(`/api/teams/${team.id}/members/${user.id}`, { role: 'viewer' }),
    async state() {
      const role = await memberIn(victim, founder, team, user);
      assert.ok(role === 'owner' || role === 'viewer', String(role));
      await assertSeen(victim, user, team, role);
      return role === 'owner' ? 'before' : 'after';
    },
  };
}

async function removal(victim: Victim, founder: User, user: User, name: string): Promise<Change> {
  const team = await createTeam(victim, founder, name);
  await join(victim, team, user, 'member');
  const { key, id } = await keyOf(victim, sessionOf(victim, user, team.id));
  return {
    name: 'removal',
    make: () => team.api.delete(`/api/teams/${team.id}/members/${user.id}`),
    async state() {
      const role = await memberIn(victim, founder, team, user);
      await assertSeen(victim, user, team, role);
      const { status } = await new HttpClient(victim, { 'x-api-key': key }).get('/api/domains');
      assert.equal(status, role === null ? 401 : 200, 'the key ends with the membership, or neither');
      const { items } = await ok(sessionOf(victim, founder, team.id).get('/api/tokens'));
      assert.equal(
        items.some((one: { id: number }) => one.id === id),
        role !== null,
      );
      return role === null ? 'after' : 'before';
    },
  };
}

async function deletion(victim: Victim, founder: User, user: User, name: string): Promise<Change> {
  const team = await createTeam(victim, founder, name);
  await join(victim, team, user, 'viewer');
  const { key } = await keyOf(victim, team.api);
  const { token } = await ok(team.api.post(`/api/teams/${team.id}/invitations`, { role: 'member' }));
  return {
    name: 'deletion',
    make: () => team.api.delete(`/api/teams/${team.id}`),
    async state() {
      const session = sessionOf(victim, founder, team.id);
      const isThere = (await session.get(`/api/teams/${team.id}/members`)).status === 200;
      if (isThere) assert.equal(await memberIn(victim, founder, team, user), 'viewer');
      await assertSeen(victim, user, team, isThere ? 'viewer' : null);
      const byKey = await new HttpClient(victim, { 'x-api-key': key }).get('/api/accounts');
      assert.equal(byKey.status, isThere ? 200 : 401);
      const shown = await new HttpClient(victim).post('/api/invitations/show', { token });
      assert.equal(shown.status, isThere ? 200 : 404);
      if (!isThere) {
        await until(async () => Object.keys(await victim.rows(team.id)).length === 0, 30_000, 100);
        return 'after';
      }
      assert.equal((await ok(session.get('/api/accounts'))).items.length, 1, 'all of it is there');
      return 'before';
    },
  };
}
