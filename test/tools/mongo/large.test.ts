import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { GridFSBucket, MongoClient } from 'mongodb';
import { openMongoStore } from '#adapters/stores/mongo/open.ts';
import type { Account } from '#core/accounts/account.ts';
import { foldText } from '#core/extraction/search-text.ts';
import type { Id } from '#core/ids.ts';
import type { MimePart } from '#core/messages/content.ts';
import { contentOf } from '#core/messages/mail-record.ts';
import type { Store } from '#core/store.ts';
import { mail } from '#test/once/conformance/mail.ts';
import {
  deliver,
  gather,
  idsOf,
  messageOf,
  newAccount,
  newDomain,
  newUser,
  now,
  rawOf,
  target,
  wholePage,
} from '#test/once/conformance/scene.ts';
import { startMongod, type TestMongo } from '#test/support/stores/mongod.ts';
import { searching } from '#test/support/stores/searching.ts';

let mongo: TestMongo;
let store: Store;
let client: MongoClient;
let owner: Id;
let account: Account;
before(async () => {
  mongo = await startMongod();
  store = await openMongoStore(mongo);
  client = new MongoClient(mongo.uri);
  owner = await newUser(store);
  const domain = await newDomain(store, owner, 'app.test');
  account = await newAccount(store, owner, domain.id, 'qa@app.test', { storageLimit: 2 ** 40 });
});
after(async () => {
  await client.close();
  await store.close();
  await mongo.close();
});

const counts = async (...names: string[]) =>
  Promise.all(names.map((name) => client.db().collection(name).countDocuments()));

test('fields of a hostile mail that are too long for a document are stored, found and removed', async () => {
  const filler = 'lorem ipsum dolor sit amet '.repeat(150_000);
  let structure: MimePart = {
    ...{ contentType: 'text/plain', sizeBytes: 1, filename: null, attachmentId: null, children: [] },
  };
  for (let depth = 0; depth < 100; depth += 1) structure = { ...structure, children: [structure] };
  const prepared = mail([target(account)], {
    subject: `subject ${'s'.repeat(1_000_000)} tail`,
    msgid: `<${'m'.repeat(100_000)}@x>`,
    from: `${'f'.repeat(50_000)}@x`,
    to: Array.from({ length: 60_000 }, (_, i) => `recipient${i}@app.test`),
    references: Array.from({ length: 10_000 }, (_, i) => `<${i}@x>`),
    text: `first ${filler} NeedleÄ ${filler} last`,
    html: '<p>ü</p>'.repeat(1_000_000),
    structure,
  });
  const [verdict] = await store.deliveries.commit([prepared]);
  assert.ok(verdict && 'ids' in verdict);
  const [id = 0] = verdict.ids;
  const { content, ...summary } = await messageOf(store, owner, id);
  assert.deepEqual(content, contentOf(prepared));
  const { items } = await store.messages.list(owner, {}, wholePage, now());
  for (const field of ['subject', 'msgid', 'fromAddress', 'toAddresses'] as const)
    assert.deepEqual(items[0]?.[field], summary[field]);
  const small = await deliver(store, account, { text: 'first and last, no needle' });
  const search = (...words: string[]) => idsOf(store, owner, searching({ words: words.map(foldText) }));
  assert.deepEqual(await search('first', 'last'), [small, id]);
  assert.deepEqual(await search('first', 'needleä', 'tail'), [id], 'words in different pieces');
  assert.deepEqual(await search('recipient59999@app.test'), [id]);
  assert.deepEqual(await search('first', 'nowhere'), []);
  assert.deepEqual(
    await idsOf(store, owner, { ...searching({ words: ['needlea'] }), accountId: account.id }),
    [id],
  );
  assert.deepEqual(
    await idsOf(store, owner, { ...searching({ words: ['needlea'] }), accountId: account.id + 1 }),
    [],
  );
  await store.messages.remove(owner, id, now());
  await store.messages.remove(owner, small, now());
  const left = await counts(
    ...['searchPieces', 'bodies.files', 'largeContents.files', 'largeContents.chunks', 'bodies.chunks'],
    ...['orphanBodies', 'tokens', 'conversations'],
  );
  assert.deepEqual(left, [0, 0, 0, 0, 0, 0, 0, 0]);
});

test('any tool for GridFS reads the bodies, small and large', async () => {
  const bucket = new GridFSBucket(client.db(), { bucketName: 'bodies' });
  for (const size of [0, 1, 4000, 261_120, 261_121, 1_000_000]) {
    const bytes = Buffer.from(Array.from({ length: size }, (_, i) => i % 251));
    const id = await deliver(store, account, { bytes });
    assert.ok((await rawOf(store, owner, id)).equals(bytes), `${size} bytes`);
    const [file] = await bucket.find({ filename: `bodies-${id}` }).toArray();
    assert.ok(file && file.length === size);
    assert.ok((await gather(bucket.openDownloadStream(file._id))).equals(bytes), `${size} bytes by GridFS`);
  }
});
