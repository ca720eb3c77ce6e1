import assert from 'node:assert/strict';
import { test } from 'node:test';
import { HttpClient } from '#test/support/clients/http.ts';
import { EventReader } from '#test/support/clients/http-events.ts';
import { commandsOn, done } from '#test/support/program/command.ts';
import { startProcess } from '#test/support/program/process.ts';
import {
  onCluster,
  running,
  startProgram,
  storeSettings,
  temporaryDir,
} from '#test/support/program/program.ts';
import { deliver } from '#test/support/program/program-mail.ts';
import { createUser, login, ok } from '#test/support/program/user.ts';
import { durationOf, shortest } from '#test/support/runner/shortest.ts';
import { until } from '#test/support/runner/until.ts';
import { countRows } from '#test/support/stores/mongo-store.ts';

if (onCluster) {
  test('a user who is disabled loses streams, sessions and keys on every pod within 3 s', async () => {
    const dataDir = await temporaryDir();
    const run = await commandsOn(dataDir);
    await using program = await startProgram({ SANDPOST_DATA_DIR: dataDir });
    const second = await startProcess('api', await storeSettings(dataDir));
    const pods = [program, { baseUrl: `http://127.0.0.1:${second.ports.http}`, httpPort: second.ports.http }];
    try {
      const disable = async () => {
        const user = await createUser(program);
        const clients = pods.flatMap((pod) => [
          new HttpClient(pod, { 'x-api-key': user.key }),
          new HttpClient(pod, { cookie: user.cookie }),
        ]);
        const streams = await Promise.all(clients.map((client) => EventReader.open(client)));
        assert.deepEqual(await run(`users disable ${user.email}`), done);
        return durationOf(async () => {
          for (const client of clients) assert.equal((await client.get('/api/messages')).status, 401);
          await Promise.all(streams.map(({ ended }) => ended));
        });
      };
      const took = await shortest(3000, disable);
      assert.ok(took < 3000, `${took} ms`);
    } finally {
      await second.stop();
    }
  });

  test('a user is removed while mail comes in, and nothing is left behind', async () => {
    const dataDir = await temporaryDir();
    const run = await commandsOn(dataDir);
    const { SANDPOST_MONGODB_URI: uri = '' } = await storeSettings(dataDir);
    await using program = await startProgram({ SANDPOST_DATA_DIR: dataDir });
    const kept = await createUser(program);
    await deliver(program, { to: kept.address });
    const owned = [
      'teams',
      'users',
      'members',
      'apiKeys',
      'domains',
      'accounts',
      'mailboxes',
      'messages',
      'journal',
    ];
    const count = async () => {
      const counts = await countRows(uri);
      return JSON.stringify(owned.map((name) => counts[name]));
    };
    const before = await count();
    const user = await createUser(program);
    let stored = 0;
    let refused = 0;
    const send = async () => {
      while (refused === 0) {
        await deliver(program, { to: user.address }).then(
          () => (stored += 1),
          () => (refused += 1),
        );
      }
    };
    const senders = [send(), send(), send()];
    await until(() => stored > 20);
    assert.deepEqual(await run(`users remove ${user.email}`), done);
    await Promise.all(senders);
    assert.equal((await user.api.get('/api/messages')).status, 401);
    assert.equal((await login(program, user.email, user.password)).status, 401);
    await until(async () => (await count()) === before);
    assert.equal((await ok(kept.api.get('/api/messages'))).items.length, 1);
  });
} else {
  test('a command says to stop the program that uses the embedded store', async () => {
    const dataDir = await temporaryDir();
    const run = await commandsOn(dataDir);
    const user = await running(dataDir, async (program) => {
      const made = await createUser(program);
      await deliver(program, { to: made.address });
      for (const args of ['users list', `users remove ${made.email}`, 'teams add QA']) {
        const result = await run(args);
        assert.equal(result.code, 1);
        assert.match(
          result.err,
          /^sandpost: another process is using the data directory .*: stop it first\n$/,
        );
      }
      assert.equal((await made.api.get('/api/domains')).status, 200);
      return made;
    });
    assert.deepEqual(await run(`users remove ${user.email}`), done);
    assert.deepEqual(await run('users list'), done);
    await running(dataDir, async (program) => {
      const api = new HttpClient(program, { 'x-api-key': user.key });
      assert.equal((await api.get('/api/messages')).status, 401);
      const next = await createUser(program, { domain: user.domain.domain });
      assert.deepEqual((await ok(next.api.get('/api/messages'))).items, [], 'the upkeep has finished');
    });
  });
}
