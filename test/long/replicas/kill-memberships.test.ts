import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { MongoClient } from 'mongodb';
import { startCluster } from '#test/support/program/cluster.ts';
import { startProgram, temporaryDir } from '#test/support/program/program.ts';
import { startOwnMongod } from '#test/support/stores/mongod.ts';
import { rowsInFile, rowsInMongo } from '#test/support/stores/rows-of-team.ts';
import { killDuringChanges } from './membership-kills.ts';

const rounds = 5;

const tell = (t: TestContext, outcomes: object) => t.diagnostic(JSON.stringify(outcomes));

test('kill -9 during changes of memberships: each is made or not made, on the embedded store', async (t) => {
  const dataDir = await temporaryDir();
  const settings = { SANDPOST_DATA_DIR: dataDir, SANDPOST_RATE_LIMIT: '1000000' };
  let program = await startProgram(settings);
  t.after(() => program.kill());
  const victim = {
    get baseUrl() {
      return program.baseUrl;
    },
    get httpPort() {
      return program.httpPort;
    },
    kill: () => program.kill(),
    async start() {
      program = await startProgram(settings);
    },
    rows: (team: number) => rowsInFile(dataDir, team),
  };
  tell(t, await killDuringChanges(victim, { rounds, withinMs: 45 }));
});

test('kill -9 during changes of memberships: each is made or not made, on MongoDB', async (t) => {
  const mongo = await startOwnMongod();
  t.after(() => mongo.close());
  const database = new MongoClient(mongo.uri);
  t.after(() => database.close());
  await using cluster = await startCluster({ api: 1, smtp: 0, mongodbUri: mongo.uri });
  const [pod] = cluster.api;
  assert.ok(pod);
  const victim = {
    get baseUrl() {
      return pod.baseUrl;
    },
    get httpPort() {
      return pod.httpPort;
    },
    kill: () => pod.kill(),
    async start() {
      // A dead process's lease would delay the upkeep by half a minute.
      await database.db().collection('leases').deleteMany({});
      await pod.start();
    },
    rows: (team: number) => rowsInMongo(mongo.uri, team),
  };
  tell(t, await killDuringChanges(victim, { rounds, withinMs: 250 }));
});
