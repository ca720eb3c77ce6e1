import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { type TestContext, test } from 'node:test';
import { openMongoStore } from '#adapters/stores/mongo/open.ts';
import { openSqliteStore } from '#adapters/stores/sqlite/open.ts';
import { newUser, wholePage } from '#test/once/conformance/scene.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { moment } from '#test/support/runner/clocks.ts';
import { startOwnMongod } from '#test/support/stores/mongod.ts';
import { type PeopledStore as Store, withPeople } from '#test/support/stores/people.ts';
import { momentOf } from './membership-kills.ts';

const rounds = 5;
const at = new Date('2026-11-21T10:00:00Z');

const tell = (t: TestContext, outcomes: object) => t.diagnostic(JSON.stringify(outcomes));

type Kind = 'sqlite' | 'mongo';

/** Removes a user in a process that is killed soon after it opened the store. Returns its output. */
async function removeKilled(kind: Kind, settings: object, user: number, afterMs: number): Promise<string> {
  const file = path.join(import.meta.dirname, 'remove-user.ts');
  const child = spawn(process.execPath, [file, kind, JSON.stringify(settings), String(user)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  let said = '';
  child.stdout.on('data', (piece) => {
    said += String(piece);
  });
  await once(child.stdout, 'data');
  await moment(afterMs);
  child.kill('SIGKILL');
  const [code, signal] = await exited;
  assert.ok(signal === 'SIGKILL' || code === 0, `the process failed with ${code}`);
  return said;
}

/** Creates a user with an identity, a membership and a key. Returns a check that all or none of it exists. */
async function makeUser(store: Store, email: string) {
  const id = await newUser(store, email);
  const identity = { issuer: 'https://id.test', subject: email };
  assert.ok(await store.users.vouch(id, { identity }));
  const createdBy = await store.users.findById(id);
  const founder = await newUser(store, `founder of ${email}`);
  const team = await store.teams.insert({ name: 'x', kind: 'shared', founder, createdAt: at });
  assert.ok(createdBy && team);
  await store.teams.grant(team.id, id, { source: 'direct', role: 'member' }, { now: at });
  assert.ok(
    await store.apiKeys.insert(team.id, { name: 'k', prefix: 'sp_', hash: email, createdBy, createdAt: at }),
  );
  const isThere = async (now: Store): Promise<boolean> => {
    const user = await now.users.findById(id);
    const there = user !== null;
    assert.equal((await now.users.find({ email })) !== null, there);
    assert.equal((await now.users.find({ identity })) !== null, there);
    assert.equal(await now.teams.roleOf(team.id, id), there ? 'member' : null);
    assert.equal(await now.teams.roleOf(id, id), there ? 'owner' : null);
    assert.equal((await now.rows.list('members', { team: team.id }, wholePage)).total, there ? 2 : 1);
    assert.equal((await now.apiKeys.findByHash(email)) !== null, there);
    assert.equal((await now.rows.list('apiKeys', { team: team.id }, wholePage)).total, there ? 1 : 0);
    return there;
  };
  return { id, isThere };
}

/** Removes users in processes that are killed while doing so. `open` opens the store, which only one process may have at a time. */
async function killDuringRemoval(kind: Kind, open: () => Promise<Store>, settings: object) {
  const outcomes = { before: 0, after: 0 };
  for (let round = 0; round < rounds; round += 1) {
    const before = await open();
    const { id, isThere } = await makeUser(before, `user${round}@team.test`);
    await before.close();
    const said = await removeKilled(
      kind,
      settings,
      id,
      momentOf(round, { rounds, withinMs: kind === 'sqlite' ? 600 : 60 }),
    );
    const after = await open();
    const there = await isThere(after).finally(() => after.close());
    assert.ok(!(there && said.includes('removed')), 'a removal that was told is made');
    outcomes[there ? 'before' : 'after'] += 1;
  }
  return outcomes;
}

test('kill -9 during the removal of a user: all of it is made or nothing, on the embedded store', async (t) => {
  const settings = { dataDir: await temporaryDir() };
  tell(t, await killDuringRemoval('sqlite', () => openSqliteStore(settings).then(withPeople), settings));
});

test('kill -9 during the removal of a user: all of it is made or nothing, on MongoDB', async (t) => {
  const mongo = await startOwnMongod();
  t.after(() => mongo.close());
  const settings = { uri: mongo.uri };
  tell(t, await killDuringRemoval('mongo', () => openMongoStore(settings).then(withPeople), settings));
});
