import assert from 'node:assert/strict';
import { test } from 'node:test';
import { startCluster } from '#test/support/program/cluster.ts';
import { startProgram, temporaryDir } from '#test/support/program/program.ts';
import { deliverOne } from '#test/support/program/program-mail.ts';
import { createTeam, keyOf, type SharedTeam } from '#test/support/program/team.ts';
import { createUser, ok } from '#test/support/program/user.ts';
import { until } from '#test/support/runner/until.ts';
import { startMongod } from '#test/support/stores/mongod.ts';
import { rowsInFile, rowsInMongo, type TeamRows } from '#test/support/stores/rows-of-team.ts';

type Served = { baseUrl: string; httpPort: number };

/** Sends mail in several ways to a team that is being deleted. Returns the numbers of accepted and refused emails. */
async function deleteUnderLoad(
  api: Served,
  smtp: { smtpPort: number },
): Promise<{ team: SharedTeam; told: string }> {
  const ada = await createUser(api);
  const team = await createTeam(api, ada, 'doomed');
  const { api: byKey } = await keyOf(api, team.api);
  const counts = { taken: 0, refused: 0 };
  let isDeleted = false;
  const repeat = async (send: () => Promise<boolean>) => {
    for (let after = 0; after < 5; after += isDeleted ? 1 : 0) {
      const taken = await send();
      counts[taken ? 'taken' : 'refused'] += 1;
    }
  };
  const byMail = (attachment: string) => () =>
    deliverOne(smtp, { to: team.address, attachments: [{ filename: 'a', content: attachment }] }).then(
      () => true,
      () => false,
    );
  const byApi = async () => {
    const path = `/api/accounts/${team.account.id}/messages/send`;
    const { status } = await byKey.post(path, { to: team.address, text: 'Hello' });
    assert.ok([204, 401, 404, 422].includes(status), String(status));
    return status === 204;
  };
  const long = 'x'.repeat(1_500_000);
  const load = [byMail('short'), byMail('short'), byMail(long), byApi, byApi].map(repeat);
  await until(() => counts.taken >= 20);
  await ok(team.api.delete(`/api/teams/${team.id}`));
  isDeleted = true;
  await Promise.all(load);
  assert.equal((await byKey.get('/api/messages')).status, 401);
  assert.equal((await team.api.get('/api/messages')).status, 404);
  assert.equal(await byMail('late')(), false, 'mail for a deleted team is refused in the end');
  return { team, told: `${counts.taken} taken, ${counts.refused} refused` };
}

/** Waits until the store has nothing left of a team. */
async function untilGone(rows: () => Promise<TeamRows> | TeamRows): Promise<void> {
  let left: TeamRows = {};
  const gone = until(
    async () => {
      left = await rows();
      return Object.keys(left).length === 0;
    },
    30_000,
    200,
  );
  await gone.catch(() => assert.deepEqual(left, {}));
}

test('a team deleted while mail comes in leaves nothing behind in the file', async (t) => {
  const dataDir = await temporaryDir();
  const settings = { SANDPOST_DATA_DIR: dataDir, SANDPOST_RATE_LIMIT: '1000000' };
  await using program = await startProgram(settings);
  const { team, told } = await deleteUnderLoad(program, program);
  t.diagnostic(told);
  await untilGone(() => rowsInFile(dataDir, team.id));
});

test('a team deleted while mail comes in to several processes leaves nothing behind in MongoDB', async (t) => {
  const mongo = await startMongod();
  t.after(() => mongo.close());
  await using cluster = await startCluster({ api: 2, smtp: 1, mongodbUri: mongo.uri });
  const [api] = cluster.api;
  const [smtp] = cluster.smtp;
  assert.ok(api && smtp);
  const { team, told } = await deleteUnderLoad(api, smtp);
  t.diagnostic(told);
  await untilGone(() => rowsInMongo(mongo.uri, team.id));
});
