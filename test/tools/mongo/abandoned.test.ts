import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MongoClient } from 'mongodb';
import { openMongoStore } from '#adapters/stores/mongo/open.ts';
import { mail } from '#test/once/conformance/mail.ts';
import { journalOf, newAccount, newDomain, newUser, target } from '#test/once/conformance/scene.ts';
import { paced } from '#test/support/runner/clocks.ts';
import { startOwnMongod } from '#test/support/stores/mongod.ts';

// Tests that end sessions have their own mongod: a shared one also runs other files' sessions.
test('a transaction whose process is gone blocks its user for seconds, not for a minute', async (t) => {
  const mongo = await startOwnMongod();
  const store = await openMongoStore(mongo);
  const owner = await newUser(store);
  const domain = await newDomain(store, owner, 'app.test');
  const account = await newAccount(store, owner, domain.id, 'qa@app.test');
  const gone = new MongoClient(mongo.uri, { appName: 'sandpost' });
  const session = gone.startSession();
  session.startTransaction();
  await gone
    .db()
    .collection<{ _id: number }>('teamVersions')
    .updateOne({ _id: owner }, { $inc: { version: 1 } }, { session, upsert: true });
  const begun = performance.now();
  const [verdict] = await store.deliveries.commit([mail([target(account)])]);
  const ms = Math.round(performance.now() - begun);
  assert.ok(verdict && 'ids' in verdict);
  t.diagnostic(`delivered after ${ms} ms`);
  assert.ok(ms < 6000);
  await assert.rejects(session.commitTransaction());
  await session.endSession();
  await gone.close();
  await store.close();
  await mongo.close();
});

test('a transaction that another process ends in its middle is retried', async (t) => {
  const mongo = await startOwnMongod();
  const store = await openMongoStore(mongo);
  const owner = await newUser(store);
  const domain = await newDomain(store, owner, 'app.test');
  const account = await newAccount(store, owner, domain.id, 'qa@app.test');
  const client = new MongoClient(mongo.uri);
  let stopped = false;
  let ended = 0;
  const endAll = async () => {
    while (!stopped) {
      const open = await client
        .db('admin')
        .aggregate<{ lsid: { id: unknown } }>([
          { $currentOp: { idleSessions: true } },
          { $match: { appName: 'sandpost', transaction: { $exists: true } } },
        ])
        .toArray();
      if (open.length > 0) {
        await client.db('admin').command({ killSessions: open.map(({ lsid: { id } }) => ({ id })) });
        ended += open.length;
      }
      // Lets some transactions commit.
      await paced(20);
    }
  };
  const ending = endAll();
  let taken = 0;
  while (ended < 10) {
    const [verdict] = await store.deliveries.commit([mail([target(account)])]);
    assert.ok(verdict && 'ids' in verdict);
    taken += 1;
  }
  stopped = true;
  await ending;
  t.diagnostic(`${taken} mails, ${ended} sessions ended`);
  const events = await journalOf(store, owner);
  const numbers = events.map(({ number }) => number);
  assert.deepEqual(
    numbers,
    Array.from({ length: taken }, (_, i) => i + 1),
  );
  await client.close();
  await store.close();
  await mongo.close();
});
