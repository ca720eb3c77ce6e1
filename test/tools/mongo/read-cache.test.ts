import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MongoClient } from 'mongodb';
import { openMongoStore } from '#adapters/stores/mongo/open.ts';
import type { Account } from '#core/accounts/account.ts';
import type { Domain } from '#core/domains/domain.ts';
import type { Id } from '#core/ids.ts';
import type { Reader } from '#core/store.ts';
import {
  deliver,
  deliverMany,
  mailboxId,
  newAccount,
  newDomain,
  newUser,
  now,
  wholePage,
} from '#test/once/conformance/scene.ts';
import { until } from '#test/support/runner/until.ts';
import { profiled } from '#test/support/stores/mongo-profile.ts';
import { startMongod, type TestMongo } from '#test/support/stores/mongod.ts';
import { type PeopledStore as Store, withPeople } from '#test/support/stores/people.ts';

/** Two processes on one database: `there` changes rows that `here` has cached. */
let mongo: TestMongo;
let here: Store;
let there: Store;
let owner: Id;
let domain: Domain;
before(async () => {
  mongo = await startMongod();
  [here, there] = await Promise.all([
    openMongoStore(mongo).then(withPeople),
    openMongoStore(mongo).then(withPeople),
  ]);
  owner = await newUser(here);
  domain = await newDomain(here, owner, 'app.test');
});
after(async () => {
  await Promise.all([here.close(), there.close()]);
  await mongo.close();
});

type Scene = { account: Account; inbox: Id; junk: Id; id: Id; other: Id };

let accounts = 0;
async function scene(): Promise<Scene> {
  accounts += 1;
  const account = await newAccount(there, owner, domain.id, `qa${accounts}@app.test`);
  const [other = 0, id = 0] = await deliverMany(there, account, 2);
  return { account, inbox: mailboxId(account, 'INBOX'), junk: mailboxId(account, 'Junk'), id, other };
}

/** Returns everything that a reader can see in the scene. */
async function seen(store: Store, { account, inbox, junk, id }: Scene) {
  const { id: accountId } = account;
  const list = async (filter: object) => {
    const { items, total, cursor } = await store.messages.list(owner, filter, wholePage, now());
    const shown = items.map((item) => `${item.id} ${item.isRead} ${item.isFlagged} ${item.threadId}`);
    return { shown, total, cursor };
  };
  const message = await store.messages.find(owner, id, now());
  const mailbox = await store.mailboxes.find(owner, accountId, inbox);
  return {
    inbox: await list({ accountId, mailboxId: inbox }),
    junk: await list({ accountId, mailboxId: junk }),
    account: await list({ accountId }),
    renamed: await list({ accountId, mailboxPath: 'Renamed' }),
    message: message && [message.isRead, message.mailboxId, message.expiresAt, message.threadId],
    mailbox: mailbox && [mailbox.path, mailbox.total, mailbox.unread],
  };
}

const later = () => new Date(Date.now() + 3_600_000);

const changes: [string, (scene: Scene) => Promise<unknown>][] = [
  ['a delivery', ({ account }) => deliver(there, account)],
  ['a reading mark', ({ id }) => there.messages.update(owner, id, { isRead: true }, now())],
  ['an expiry', ({ id }) => there.messages.update(owner, id, { expiresAt: later() }, now())],
  ['a move', ({ id, junk }) => there.messages.update(owner, id, { mailboxId: junk }, now())],
  ['a deletion', ({ id }) => there.messages.remove(owner, id, now())],
  [
    'an emptied mailbox',
    ({ inbox }) => there.messages.removeSome(owner, { mailboxId: inbox, upTo: 1_000_000 }, 10),
  ],
  ["an account's deletion", ({ account }) => there.accounts.softDelete(owner, account.id, new Date())],
];

for (const [name, change] of changes) {
  test(`${name} by another process is seen by the next reader`, async () => {
    const own = await scene();
    const before = await seen(here, own);
    assert.deepEqual(await seen(here, own), before, 'nothing changed, nothing else is seen');
    await change(own);
    const fresh = withPeople(await openMongoStore(mongo));
    const expected = await seen(fresh, own);
    await fresh.close();
    assert.notDeepEqual(expected, before, 'the change can be seen');
    assert.deepEqual(await seen(here, own), expected);
  });
}

test('renaming and deleting a mailbox in another process is seen by the next reader', async () => {
  const { account } = await scene();
  const made = await there.mailboxes.insert(owner, account.id, 'Old', new Date());
  assert.ok(made !== null && made !== 'taken');
  const { id: accountId } = account;
  assert.equal((await here.mailboxes.find(owner, accountId, made.id))?.path, 'Old');
  assert.equal(
    (await here.messages.list(owner, { accountId, mailboxPath: 'New' }, wholePage, now())).total,
    0,
  );
  await there.mailboxes.rename(owner, accountId, made.id, 'New');
  assert.equal((await here.mailboxes.find(owner, accountId, made.id))?.path, 'New');
  const message = await deliver(there, account);
  await there.messages.update(owner, message, { mailboxId: made.id }, now());
  assert.equal(
    (await here.messages.list(owner, { accountId, mailboxPath: 'New' }, wholePage, now())).total,
    1,
  );
  await there.mailboxes.softDelete(owner, accountId, made.id, new Date());
  assert.equal(await here.mailboxes.find(owner, accountId, made.id), null);
  assert.equal(await here.messages.find(owner, message, now()), null);
});

test('a cached list or message is no longer valid when one of its messages expires', async () => {
  const { inbox, id, other } = await scene();
  const expiresAt = later();
  await there.messages.update(owner, id, { expiresAt }, now());
  const listAt = async (at: Date) => {
    const visibility = { ...now(), now: at };
    return (await here.messages.list(owner, { mailboxId: inbox }, wholePage, visibility)).items.map(
      (m) => m.id,
    );
  };
  assert.deepEqual(await listAt(new Date()), [id, other]);
  assert.deepEqual(await listAt(new Date(expiresAt.getTime() - 1)), [id, other]);
  assert.deepEqual(await listAt(expiresAt), [other]);
  assert.equal((await here.messages.find(owner, id, now()))?.id, id);
  assert.equal(await here.messages.find(owner, id, { ...now(), now: expiresAt }), null);
  assert.deepEqual(await listAt(new Date()), [id, other]);
});

test('unchanged values are read once: afterwards one read of the version serves a whole request', async () => {
  const { account, inbox, id } = await scene();
  const list = { accountId: account.id, mailboxId: inbox };
  const key = { name: 'reader', prefix: 'sp_', hash: 'reader', createdAt: new Date() };
  const made = await here.apiKeys.insert(owner, key);
  await here.apiKeys.touch(made?.id ?? 0, new Date());
  const request = async () => {
    const reader = here.reader();
    assert.equal((await reader.apiKeys.findByHash(key.hash))?.key.owner, owner);
    const { items } = await reader.messages.list(owner, list, wholePage, now());
    assert.equal(items.length, 2);
    assert.ok(await reader.mailboxes.find(owner, account.id, inbox));
    assert.ok(await reader.messages.find(owner, id, now()));
  };
  await request();
  await request();
  const client = new MongoClient(mongo.uri);
  const noted = await profiled(client.db(), request);
  await client.close();
  // After a slow change, a process checks whether others want the team. That check is not part of the request.
  const asked = noted.filter(({ command }) => command.readConcern?.level !== 'local');
  assert.deepEqual(
    asked.map(({ command }) => command.find),
    ['teamVersions'],
  );
});

test('a reader shows the state at its making, or later', async () => {
  const { id } = await scene();
  const isRead = async (reader: Reader) => (await reader.messages.find(owner, id, now()))?.isRead ?? null;
  const early = here.reader();
  assert.equal(await isRead(early), false);
  await there.messages.update(owner, id, { isRead: true }, now());
  assert.equal(await isRead(here.reader()), true);
  assert.equal(await isRead(early), true);
  assert.equal(await isRead(here), true);
});

test('a key is cached no longer than until its use is to be written again', async () => {
  const key = { name: 'used', prefix: 'sp_', hash: 'used', createdAt: new Date() };
  const { id = 0 } = (await here.apiKeys.insert(owner, key)) ?? {};
  const lastUse = async () => (await here.apiKeys.findByHash(key.hash))?.key.lastUsedAt?.getTime();
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000);
  for (const at of [minutesAgo(3), minutesAgo(2), new Date()]) {
    // A busy store skips a use that it cannot record soon.
    await until(async () => {
      await there.apiKeys.touch(id, at);
      return (await there.apiKeys.find(owner, id))?.lastUsedAt?.getTime() === at.getTime();
    });
    assert.equal(await lastUse(), at.getTime());
    assert.equal(await lastUse(), at.getTime());
  }
});

test('a revoked key is refused at once by each process, and so is an ended session', async () => {
  const key = await here.apiKeys.insert(owner, {
    name: 'k',
    prefix: 'sp_',
    hash: 'key',
    createdAt: new Date(),
  });
  assert.ok(key);
  const session = { hash: 'session', userId: owner, createdAt: new Date(), expiresAt: later() };
  const other = await here.apiKeys.insert(owner, {
    name: 'o',
    prefix: 'sp_',
    hash: 'other',
    createdAt: later(),
  });
  await here.sessions.insert({ ...session, origin: { keyId: other?.id ?? 0 } }, 1);
  await here.apiKeys.touch(key.id, new Date());
  for (const store of [here, there]) {
    // Caches the key's owner the first time, and the whole key the second time.
    for (const _ of [1, 2]) assert.equal((await store.apiKeys.findByHash('key'))?.key.owner, owner);
    const { holder } = (await store.sessions.find('session', new Date())) ?? {};
    assert.ok(holder && 'key' in holder && holder.key.owner === owner);
  }
  await here.apiKeys.remove(owner, key.id);
  await here.sessions.remove('session');
  for (const store of [here, there]) {
    assert.equal(await store.apiKeys.findByHash('key'), null);
    assert.equal(await store.sessions.find('session', new Date()), null);
  }
});
