import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workshopEntry } from '#commands/workshop-entry.ts';
import { addUser } from '#core/access/user-changes.ts';
import type { Id } from '#core/ids.ts';
import { unlimitedSearches } from '#core/messages/search-turns.ts';
import { createTeam } from '#core/teams/manage-teams.ts';
import { readConfig } from '#setup/config.ts';
import { openServices } from '#setup/services.ts';
import { createLog } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { until } from '#test/support/runner/until.ts';
import { searching } from '#test/support/stores/searching.ts';

test('waits in all teams of one owner take one turn, and leave the next one to another user', async (t) => {
  const config = readConfig({ SANDPOST_DATA_DIR: await temporaryDir() });
  const services = await openServices(config, createLog('silent'), createMetrics(), workshopEntry);
  t.after(() => services.close());
  const userAt = (email: string) =>
    services.rows.change(addUser, { email, passwordHash: null, now: services.clock() });
  const [owner, other] = [await userAt('a@a.test'), await userAt('b@b.test')];
  const teams = [await createTeam(services, owner.id, 'one'), await createTeam(services, owner.id, 'two')];
  const reading: Id[] = [];
  const ending = new AbortController();
  const held = Promise.withResolvers<void>();
  services.store.messages.list = (team, _filter, _page, _visibility, search = unlimitedSearches) =>
    search(({ turn }) =>
      turn(async () => {
        reading.push(team);
        await held.promise;
        return { items: [], total: 0, cursor: 0 };
      }),
    );
  const terms = { count: 1, waitMs: 60_000, signal: ending.signal };
  const waits = [...teams.map(({ id }) => id), other.id].map((team) =>
    services.waits.wait(
      team,
      async () => ({ filter: searching({ subject: 'never' }), anyEvent: false }),
      { page: 1, limit: 1 },
      { ...terms, waiter: { userId: team, keyId: null } },
    ),
  );
  await until(() => reading.length === 2);
  const first = [...reading];
  held.resolve();
  ending.abort();
  await Promise.all(waits);
  assert.ok(first.includes(other.id), first.join());
});
