import assert from 'node:assert/strict';
import { emptyMailbox } from '#core/messages/change-message.ts';
import { createCascade } from '#maintenance/upkeep.ts';
import { createLog } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { searching } from '#test/support/stores/searching.ts';
import {
  clearAll,
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
  wholePage,
} from './scene.ts';

onEachStore(
  'a deleted domain is invisible at once with all its contents',
  async ({ store, owner, domain, account }) => {
    const other = await newDomain(store, owner, 'kept.test');
    const kept = await newAccount(store, owner, other.id, 'a@kept.test');
    const keptId = await deliver(store, kept);
    const [id = 0] = await deliverMany(store, account, 3);
    assert.equal(await store.domains.softDelete(owner, domain.id, new Date()), true);
    assert.equal(await store.accounts.find(owner, account.id), null);
    assert.equal((await store.accounts.list(owner, {}, wholePage)).total, 1);
    assert.equal(await store.mailboxes.list(owner, account.id, wholePage), null);
    const inbox = mailboxId(account, 'INBOX');
    assert.equal(await store.mailboxes.find(owner, account.id, inbox), null);
    assert.equal(await store.mailboxes.insert(owner, account.id, 'New', new Date()), null);
    assert.equal(await store.accounts.update(owner, account.id, { active: true }, new Date()), null);
    assert.equal(await store.accounts.softDelete(owner, account.id, new Date()), false);
    assert.equal(await store.messages.find(owner, id, now()), null);
    for (const filter of [
      {},
      { after: 0 },
      searching({ words: ['mail'] }),
      { accountId: account.id },
      { mailboxId: inbox },
    ]) {
      const expected = 'accountId' in filter || 'mailboxId' in filter || 'query' in filter ? [] : [keptId];
      assert.deepEqual(await idsOf(store, owner, filter), expected, JSON.stringify(filter));
    }
  },
);

onEachStore(
  'each message of a deleted domain gets exactly one event, in batches, and others stay',
  async ({ store, opened, owner, domain, account }) => {
    const stranger = await newUser(store, 'stranger@team.test');
    const theirDomain = await newDomain(store, stranger, 'theirs.test');
    const theirs = await newAccount(store, stranger, theirDomain.id, 'x@theirs.test');
    const kept = await newAccount(
      store,
      owner,
      (await newDomain(store, owner, 'kept.test')).id,
      'a@kept.test',
    );
    const doomed = [...(await deliverMany(store, account, 7)), ...(await deliverMany(store, theirs, 2))];
    const survivor = await deliver(store, kept);
    await store.domains.softDelete(owner, domain.id, new Date());
    await store.accounts.softDelete(stranger, theirs.id, new Date());
    const {
      removed: [begun],
    } = await store.upkeep({ do: 'remove-soft-deleted', now: new Date() }, 3);
    assert.equal(begun?.result, 3);
    const again = await opened.reopen();
    const commits = [begun, ...(await clearAll(again, 3))];
    const events = commits.flatMap((commit) => commit?.events ?? []);
    assert.deepEqual(
      events.map((event) => event.messageId).sort((a, b) => a - b),
      doomed,
    );
    assert.ok(events.every((event) => event.type === 'message.deleted'));
    for (const user of [owner, stranger]) {
      const journal = await journalOf(again, user);
      const numbers = journal.map((event) => event.number);
      assert.deepEqual(
        numbers,
        journal.map((_, i) => i + 1),
      );
      const told = commits
        .filter((commit) => commit?.owner === user)
        .flatMap((commit) => commit?.events ?? []);
      assert.deepEqual(
        journal.filter((event) => event.type === 'message.deleted'),
        told,
      );
    }
    assert.deepEqual(await idsOf(again, owner, {}), [survivor]);
    assert.deepEqual(await clearAll(again, 3), [], 'repeating is safe');
  },
);

onEachStore('the bytes of a deleted mailbox are given back once', async ({ store, owner, account }) => {
  const made = await store.mailboxes.insert(owner, account.id, 'Old', new Date());
  assert.ok(made !== null && made !== 'taken');
  const ids = await deliverMany(store, account, 3, { sizeBytes: 10 });
  for (const id of ids.slice(1)) await store.messages.update(owner, id, { mailboxId: made.id }, now());
  await store.mailboxes.softDelete(owner, account.id, made.id, new Date());
  const results = (await clearAll(store)).map((commit) => commit.result);
  assert.deepEqual(results, [2]);
  assert.deepEqual(await countsOf(store, account), { usedBytes: 10, total: 1, unread: 1 });
});

onEachStore(
  'names are free at once, and the new holder is not cleared with the old',
  async ({ store, owner, domain, account }) => {
    const old = await deliver(store, account, { msgid: '<a>' });
    await store.domains.softDelete(owner, domain.id, new Date());
    const again = await newDomain(store, owner, domain.name);
    const fresh = await newAccount(store, owner, again.id, account.address);
    const id = await deliver(store, fresh, { inReplyTo: '<a>' });
    await clearAll(store);
    assert.deepEqual(await idsOf(store, owner, {}), [id]);
    assert.equal(await store.messages.find(owner, old, now()), null);
    assert.deepEqual(await store.rows.read('domain', { team: owner, domain: again.id }), again);
    assert.equal((await countsOf(store, fresh)).total, 1);
  },
);

onEachStore(
  'clearing a domain of many accounts can be aborted and begun anew, and hides them all the while',
  async ({ store, opened, owner, domain }) => {
    const addresses = Array.from({ length: 30 }, (_, at) => `a${at}@app.test`);
    const many = [];
    for (const address of addresses) many.push(await newAccount(store, owner, domain.id, address));
    const last = many.at(-1);
    assert.ok(last);
    const id = await deliver(store, last);
    await store.domains.softDelete(owner, domain.id, new Date());
    const { removed } = await store.upkeep({ do: 'remove-soft-deleted', now: new Date() }, 10);
    const again = await opened.reopen();
    assert.equal((await again.accounts.list(owner, {}, wholePage)).total, 0);
    assert.equal((await again.accounts.list(owner, { address: last.address }, wholePage)).total, 0);
    assert.equal(await again.accounts.softDelete(owner, last.id, new Date()), false);
    assert.equal(await again.mailboxes.find(owner, last.id, mailboxId(last, 'INBOX')), null);
    assert.equal(await again.messages.find(owner, id, now()), null);
    assert.deepEqual(await idsOf(again, owner, {}), []);
    assert.deepEqual(
      [...removed, ...(await clearAll(again))].flatMap((commit) =>
        commit.events.map(({ messageId }) => messageId),
      ),
      [id],
    );
    assert.deepEqual(await clearAll(again), []);
  },
);

onEachStore('many messages are removed in short transactions', async ({ store, owner, account }) => {
  const sizes: number[] = [];
  const bus = {
    announce: (_: number, events: object[]) => sizes.push(events.length),
    listen: () => () => {},
  };
  const clock = () => new Date();
  const inbox = mailboxId(account, 'INBOX');
  await deliverMany(store, account, 250);
  assert.equal(
    await emptyMailbox({ ...store, bus, clock, retentionDays: 90 }, owner, account.id, inbox),
    250,
  );
  await deliverMany(store, account, 250);
  await store.accounts.softDelete(owner, account.id, clock());
  const ports = { ...{ store, bus, clock }, metrics: createMetrics(), log: createLog('silent') };
  const cascade = createCascade(ports, new AbortController().signal);
  cascade.begin();
  await cascade.settled();
  assert.equal(
    sizes.reduce((sum, size) => sum + size),
    500,
  );
  assert.ok(Math.max(...sizes) <= 100, `${sizes}`);
});
