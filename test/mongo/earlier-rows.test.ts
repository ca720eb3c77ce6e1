import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MongoClient } from 'mongodb';
import { openMongoStore } from '#core/adapters/stores/mongo/open.ts';
import { NotFound } from '#core/errors.ts';
import { mail } from '#test/conformance/mail.ts';
import {
  gather,
  idsOf,
  newAccount,
  newDomain,
  newUser,
  now,
  rawOf,
  target,
} from '#test/conformance/scene.ts';
import { startMongod } from '#test/support/stores/mongod.ts';

test('a body that messages of an earlier version share goes with the last of them', async (t) => {
  const mongo = await startMongod();
  t.after(() => mongo.close());
  const store = await openMongoStore(mongo);
  t.after(() => store.close());
  const owner = await newUser(store);
  const domain = await newDomain(store, owner, 'app.test');
  const account = await newAccount(store, owner, domain.id, 'qa@app.test');
  const shared = mail([target(account), target(account, { mailbox: 'Sent' })]);
  const [verdict] = await store.deliveries.commitDeliveries([shared]);
  assert.ok(verdict && 'ids' in verdict);
  const [first = 0, second = 0] = verdict.ids;
  const client = new MongoClient(mongo.uri);
  await client
    .db()
    .collection('messages')
    .updateMany({}, { $unset: { siblings: '' } });
  await client.close();
  const bytes = await rawOf(store, owner, second);
  const raw = await store.messages.raw(owner, second, now());
  assert.ok(raw);
  await store.messages.remove(owner, first, now());
  assert.deepEqual(await rawOf(store, owner, second), bytes);
  await store.messages.remove(owner, second, now());
  await assert.rejects(gather(raw.open()), NotFound);
});

test('search texts of an earlier version forget the recipients of other users', async (t) => {
  const mongo = await startMongod();
  t.after(() => mongo.close());
  const before = await openMongoStore(mongo);
  const owner = await newUser(before);
  const { id } = await newDomain(before, owner, 'app.test');
  const account = await newAccount(before, owner, id, 'qa@app.test');
  const targets = [target(account), target(account, { mailbox: 'Sent' })];
  const long = `${'padding '.repeat(100_000)}needle`;
  const mails = ['short', long, 'named'].map((text, index) =>
    mail(targets, { to: index === 2 ? ['named@b.test'] : [], subject: `mail ${index}`, text }),
  );
  for (const { content } of mails) content.cc = [{ name: '', address: 'Copy@b.test' }];
  await before.deliveries.commitDeliveries(mails);
  await before.close();
  const client = new MongoClient(mongo.uri);
  t.after(() => client.close());
  const db = client.db();
  // As they were written: the recipients of all users behind the sender.
  const leak = '\nboard@b.test';
  await db
    .collection('messages')
    .updateMany({ toAddresses: ['qa@app.test'] }, [
      { $set: { 'search.to': { $concat: ['$search.to', leak] } } },
    ]);
  await db.collection('searchPieces').updateMany({ text: /^mail 1\n/ }, [
    {
      $set: {
        text: { $replaceOne: { input: '$text', find: '\npadding', replacement: `${leak}\npadding` } },
      },
    },
  ]);
  await db.collection<{ _id: string }>('meta').deleteOne({ _id: 'recipients' });

  const store = await openMongoStore(mongo);
  t.after(() => store.close());
  const found = async (filter: { to?: string; words?: string[] }) =>
    (await idsOf(store, owner, filter)).length;
  assert.deepEqual([await found({ to: 'board@' }), await found({ words: ['board@'] })], [0, 0]);
  assert.deepEqual([await found({ to: 'qa@app.test' }), await found({ to: 'copy@b.test' })], [3, 2]);
  assert.equal(await found({ words: ['mail 1', 'sender@', 'copy@', 'qa@', 'needle'] }), 1);
  assert.equal(await found({ to: 'named@b.test' }), 1);
});

test('domains of an earlier version keep related names from others', async (t) => {
  const mongo = await startMongod();
  t.after(() => mongo.close());
  const before = await openMongoStore(mongo);
  const [owner, stranger] = [await newUser(before), await newUser(before, 'stranger@team.test')];
  const { id: _, ...domain } = await newDomain(before, owner, 'app.test');
  await before.close();
  const client = new MongoClient(mongo.uri);
  await client
    .db()
    .collection('domains')
    .updateMany({}, { $unset: { path: '' } });
  await client.close();
  const store = await openMongoStore(mongo);
  t.after(() => store.close());
  assert.equal(await store.domains.insert(stranger, { ...domain, name: 'mail.app.test' }), 'overlaps');
});
