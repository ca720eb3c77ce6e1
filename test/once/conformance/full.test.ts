import assert from 'node:assert/strict';
import { mail } from './mail.ts';
import {
  countsOf,
  deliver,
  deliverMany,
  idsOf,
  journalOf,
  mailboxId,
  newAccount,
  newDomain,
  newUser,
  now,
  onEachStore,
  target,
} from './scene.ts';

onEachStore(
  'the oldest messages of an account make room, with an event each, and no more than it takes',
  async ({ store, owner, domain, account }) => {
    const other = await newAccount(store, owner, domain.id, 'other@app.test');
    const kept = await deliver(store, other, { sizeBytes: 100 });
    const ids = await deliverMany(store, account, 6, { sizeBytes: 100 });
    await store.messages.update(owner, ids[0] ?? 0, { mailboxId: mailboxId(account, 'Trash') }, now());
    const load = (bytes: number, messages = 0) => ({ bytes, messages });
    const remove = (bytes: number, messages = 0, limit = 100) =>
      store.messages.removeSome(owner, { oldestOf: account.id, load: load(bytes, messages) }, limit);
    const { result, events } = await remove(101);
    assert.equal(result, 2);
    assert.deepEqual(
      events.map(({ type, messageId }) => [type, messageId]),
      [
        ['message.deleted', ids[0]],
        ['message.deleted', ids[1]],
      ],
    );
    assert.deepEqual((await journalOf(store, owner)).slice(-2), events);
    assert.equal((await remove(1, 2)).result, 2, 'by their number');
    assert.equal((await remove(1000, 0, 1)).result, 1, 'at most so many');
    assert.equal((await countsOf(store, account)).usedBytes, 100);
    assert.equal((await remove(1000)).result, 1);
    assert.equal((await remove(1000)).result, 0);
    assert.equal((await countsOf(store, account)).usedBytes, 0);
    assert.deepEqual(await idsOf(store, owner, {}), [kept]);
  },
);

onEachStore(
  'messages of a deleted mailbox make no room, and those of another team are out of reach',
  async ({ store, owner, account }) => {
    const side = await store.mailboxes.insert(owner, account.id, 'Side', new Date());
    assert.ok(side !== null && side !== 'taken');
    const [first = 0, second] = await deliverMany(store, account, 2, { sizeBytes: 100 });
    await store.messages.update(owner, first, { mailboxId: side.id }, now());
    await store.mailboxes.softDelete(owner, account.id, side.id, new Date());
    const stranger = await newUser(store, 'stranger@app.test');
    const wanted = { bytes: 1, messages: 0 };
    const scope = { oldestOf: account.id, load: wanted };
    assert.equal((await store.messages.removeSome(stranger, scope, 9)).result, 0);
    const { events } = await store.messages.removeSome(owner, scope, 9);
    const messageIds = events.map(({ messageId }) => messageId);
    assert.deepEqual(messageIds, [second]);
    assert.equal((await countsOf(store, account)).usedBytes, 0);
  },
);

onEachStore(
  'an account is marked as full until room is made or its limit changes',
  async ({ store, owner, domain, account }) => {
    const at = new Date();
    const isMarked = async () => (await store.accounts.find(owner, account.id))?.fullAt != null;
    const mark = async () => {
      await store.accounts.markFull(owner, account.id, at);
      assert.equal(await isMarked(), true);
    };
    const page = { page: 1, limit: 9 };
    const countFull = async () => (await store.rows.list('fullAccounts', { team: null }, page)).total;
    const listFull = async (team: number) => (await store.rows.list('fullAccounts', { team }, page)).items;
    const ids = await deliverMany(store, account, 3, { sizeBytes: 100 });
    assert.equal(await isMarked(), false);
    await mark();
    assert.deepEqual((await store.accounts.find(owner, account.id))?.fullAt, at);
    await store.accounts.markFull(owner, account.id, new Date(at.getTime() + 1000));
    assert.deepEqual((await store.accounts.find(owner, account.id))?.fullAt, at, 'since the first time');
    await deliver(store, account, { sizeBytes: 1 });
    await store.accounts.update(owner, account.id, { active: true }, new Date());
    assert.equal(await isMarked(), true);

    const [user, other] = [await newUser(store, 'other@app.test'), 'qa@other.test'];
    const otherDomain = await newDomain(store, user, 'other.test');
    const otherAccount = await newAccount(store, user, otherDomain.id, other);
    await store.accounts.markFull(owner, otherAccount.id, at);
    assert.equal(await countFull(), 1, 'not of another team');
    await store.accounts.markFull(user, otherAccount.id, at);
    assert.equal(await countFull(), 2);
    const full = (await listFull(owner)).map(({ id, address }) => [id, address]);
    assert.deepEqual(full, [[account.id, 'qa@app.test']]);

    await store.messages.remove(owner, ids[0] ?? 0, now());
    assert.equal(await isMarked(), false);
    await mark();
    await store.accounts.update(owner, account.id, { storageLimit: 1_000_000 }, new Date());
    assert.equal(await isMarked(), false);
    await mark();
    const drafts = mailboxId(account, 'Drafts');
    await store.messages.update(owner, ids[1] ?? 0, { mailboxId: drafts }, now());
    assert.equal(await isMarked(), true);
    await store.messages.removeSome(owner, { mailboxId: drafts, upTo: Number.MAX_SAFE_INTEGER }, 9);
    assert.equal(await isMarked(), false);
    await mark();
    const side = await store.mailboxes.insert(owner, account.id, 'Side', new Date());
    assert.ok(side !== null && side !== 'taken');
    await store.messages.update(owner, ids[2] ?? 0, { mailboxId: side.id }, now());
    await store.mailboxes.softDelete(owner, account.id, side.id, new Date());
    assert.equal(await isMarked(), false);
    await mark();
    await store.accounts.softDelete(owner, account.id, new Date());
    assert.deepEqual(await listFull(owner), []);
    await store.domains.softDelete(user, otherDomain.id, new Date());
    assert.deepEqual(await listFull(user), []);
    assert.ok(domain);
  },
);

onEachStore(
  'a mark does not disturb mail that is stored at the same time',
  async ({ store, owner, account }) => {
    await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        if (index % 2 === 0) return store.accounts.markFull(owner, account.id, new Date());
        const [verdict] = await store.deliveries.commit([mail([target(account)], { sizeBytes: 10 })]);
        assert.ok(verdict && 'ids' in verdict);
        return undefined;
      }),
    );
    assert.equal((await countsOf(store, account)).usedBytes, 100);
  },
);
