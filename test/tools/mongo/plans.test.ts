import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { MongoClient } from 'mongodb';
import { openMongoStore } from '#adapters/stores/mongo/open.ts';
import { sentBy } from '#core/delivery/with-senders.ts';
import { addFailure, countAddressFailure, countFailure } from '#core/failures/change-failures.ts';
import { failureWords } from '#core/failures/failure-words.ts';
import { filterWith, type MessageFilter } from '#core/messages/message-filter.ts';
import { parseQuery } from '#core/query/parse.ts';
import { mail } from '#test/once/conformance/mail.ts';
import { useRefusals } from '#test/once/conformance/refusals.ts';
import {
  clearAll,
  deliver,
  deliverMany,
  mailboxId,
  newAccount,
  newDomain,
  newUser,
  now,
  target,
} from '#test/once/conformance/scene.ts';
import { useShares } from '#test/once/conformance/shares.ts';
import { quotas } from '#test/support/program/quotas.ts';
import { careless, profiled } from '#test/support/stores/mongo-profile.ts';
import { startMongod, type TestMongo } from '#test/support/stores/mongod.ts';
import { type PeopledStore as Store, withPeople } from '#test/support/stores/people.ts';
import { searching } from '#test/support/stores/searching.ts';

let mongo: TestMongo;
let store: Store;
let client: MongoClient;
before(async () => {
  mongo = await startMongod();
  store = withPeople(await openMongoStore(mongo));
  client = new MongoClient(mongo.uri);
});
after(async () => {
  await client.close();
  await store.close();
  await mongo.close();
});

/** Stores 200 messages in two accounts, with conversations, copies, an expiration, a soft-deleted mailbox and long texts. */
async function populate() {
  const owner = await newUser(store);
  const domain = await newDomain(store, owner, 'app.test');
  const account = await newAccount(store, owner, domain.id, 'qa@app.test');
  const other = await newAccount(store, owner, domain.id, '*@app.test', { catchAll: true });
  await deliverMany(store, account, 100);
  await deliverMany(store, other, 100);
  const id = await deliver(store, account, { msgid: '<1@x>', subject: 'x'.repeat(5000) });
  await deliver(store, account, { msgid: '<2@x>', inReplyTo: '<1@x>', text: 'long '.repeat(20_000) });
  await store.deliveries.commit([mail([target(account), target(account, { mailbox: 'Sent' })])]);
  const expiresAt = new Date(Date.now() + 3_600_000);
  await store.messages.update(owner, id, { expiresAt, isRead: true }, now());
  const custom = await store.mailboxes.insert(owner, account.id, 'Old', new Date());
  if (custom === null || custom === 'taken') throw new Error('no mailbox');
  await store.messages.update(owner, await deliver(store, account), { mailboxId: custom.id }, now());
  await store.mailboxes.softDelete(owner, account.id, custom.id, new Date());
  return { owner, domain, account, id, inbox: mailboxId(account, 'INBOX') };
}

test('every read of the API and of SMTP runs on an index, in its order', async () => {
  const { owner, domain, account, id, inbox } = await populate();
  const origin = { passwordHash: 'hash' };
  const expiresAt = new Date(Date.now() + 1000);
  await store.users.setPassword(owner, 'hash');
  await store.sessions.insert(
    { hash: 'session', userId: owner, origin, createdAt: new Date(), expiresAt },
    1,
  );
  await store.apiKeys.insert(owner, { name: 'k', prefix: 'sp_', hash: 'key', createdAt: new Date() });
  await store.users.setGroups(owner, ['devs']);
  for (const subject of [
    { email: 'qa-team@app.test', group: null },
    { email: null, group: 'devs' },
  ]) {
    const rule = { source: `qa/${subject.group}`, team: owner, role: 'viewer', ...subject } as const;
    await store.memberRules.put(rule);
    await store.memberRules.settle({ team: owner, user: owner, rule: rule.source }, { now: new Date() });
  }
  const page = { page: 2, limit: 10 };
  const accountId = account.id;
  const scopes = [
    {},
    { accountId },
    { accountId, mailboxId: inbox },
    { mailboxPath: 'Sent' },
    { accountId, mailboxPath: 'INBOX' },
  ];
  const filters = [
    ...[
      {},
      { after: 5 },
      searching({ words: ['mail', 'nowhere'] }),
      searching({ to: 'qa', from: 's', subject: 'm' }),
    ],
    ...[
      { unread: true },
      { hasAttachments: false, flagged: false, after: 5 },
      { flagged: false, ...searching({ words: ['mail'] }) },
    ],
  ];
  const operations = await profiled(client.db(), async () => {
    for (const scope of scopes) {
      for (const filter of filters) {
        await store.messages.list(owner, { ...scope, ...filter }, page, now());
      }
    }
    const raw = await store.messages.raw(owner, id, now());
    for await (const _ of raw?.open() ?? []);
    await store.messages.find(owner, id, now());
    await store.rows.list('domains', { team: owner, name: 'app.test', active: true }, page);
    await store.rows.list('domains', { team: owner }, page);
    await store.rows.read('managedDomains', {});
    await store.rows.read('domain', { team: owner, domain: domain.id });
    await store.rows.read('domain', { team: owner, domain: 'app.test' });
    await store.domains.dueForCheck(new Date(), 20);
    await store.accounts.list(owner, { address: account.address, active: true }, page);
    await store.accounts.list(owner, {}, page);
    await store.accounts.list(owner, { domainId: domain.id }, page);
    await store.rows.read('managedAccountsWithMailboxes', {});
    await store.accounts.find(owner, accountId);
    await store.mailboxes.list(owner, accountId, page);
    await store.mailboxes.find(owner, accountId, inbox);
    await store.journal.heads([owner]);
    await store.journal.read(owner, 5, 500);
    await store.journal.latest(owner, { types: ['message.deleted'], accountId, mailboxId: inbox });
    for (const one of [id, 1_000_000]) await store.journal.messageNumber(owner, one);
    await store.users.find({ email: 'qa-team@app.test' });
    await store.sessions.find('session', new Date());
    await store.rows.list('apiKeys', { team: owner }, page);
    await store.rows.read('managedKeys', { team: owner });
    await store.rows.read('managedKeys', { team: owner, manager: 'qa/ci' });
    await store.apiKeys.find(owner, 1);
    await store.apiKeys.findByHash('key');
    await store.deliveries.lookUp('app.test', ['qa@app.test']);
    await store.rows.read('searches', { team: owner });
    await useShares(store, owner);
    await useRefusals(store, owner);
    await store.rows.read('mailRules', { team: owner });
    await store.rows.read('versionedFailures', { team: owner });
    await store.rows.list('failures', { team: owner, now: new Date(), id: 1 }, page);
    const { id: failure } = await store.rows.change(addFailure, { team: owner, input: {}, now: new Date() });
    const attempt = { at: new Date(), remoteAddress: null, mailFrom: null, rcptTo: [], reply: null };
    const counting = { team: owner, attempt, now: new Date() };
    await store.rows.change(countFailure, { ...counting, failure });
    await store.rows.change(countAddressFailure, { ...counting, failure: 'key', words: failureWords({}) });
    await store.upkeep({ do: 'remove-expired-secrets', now: new Date(0) }, 500);
    await store.tags.count(owner, { newest: 10, most: 10 }, now());
    await store.rows.read('memberRules', {});
    await store.memberRules.find('qa/devs');
    await store.memberRules.unsettled({ source: 'qa/devs' });
    await store.memberRules.unsettled({ source: 'qa/null' });
    await store.memberRules.unsettled({ user: owner });
    await store.memberRules.put(
      { source: 'qa/x', team: owner, email: 'x@app.test', group: null, role: null },
      9,
    );
    await store.memberRules.remove(owner, 'qa/x');
  });
  assert.ok(operations.length > 80, `${operations.length} operations were noted`);
  assert.deepEqual(careless(operations), []);
});

test('a list by flags reads the rows that it shows, and counts the others by index entries of its flags', async () => {
  const owner = await newUser(store, 'flags@app.test');
  const domain = await newDomain(store, owner, 'flags.test');
  const account = await newAccount(store, owner, domain.id, 'qa@flags.test');
  const ids = await deliverMany(store, account, 60);
  for (const id of ids.slice(0, 20)) await store.messages.update(owner, id, { isRead: true }, now());
  const scopes = [{}, { accountId: account.id }, { mailboxId: mailboxId(account, 'INBOX') }];
  const cases: [MessageFilter, number][] = [
    [{ unread: true }, 40],
    [{ unread: false }, 20],
    [{ flagged: true }, 0],
    [{ flagged: false, unread: false }, 20],
    [{ hasAttachments: true }, 0],
    [{ hasAttachments: false, unread: true }, 40],
  ];
  for (const scope of scopes) {
    for (const [flags, matching] of cases) {
      const filter = { ...scope, ...flags };
      const operations = await profiled(client.db(), async () => {
        const { items, total } = await store.messages.list(owner, filter, { page: 1, limit: 10 }, now());
        assert.deepEqual([items.length, total], [Math.min(10, matching), matching], JSON.stringify(filter));
      });
      assert.deepEqual(careless(operations), []);
      const onRows = operations.filter(({ ns }) => ns.endsWith('.messages'));
      const rows = onRows.reduce((sum, { docsExamined }) => sum + docsExamined, 0);
      const entries = onRows.reduce((sum, { keysExamined }) => sum + keysExamined, 0);
      assert.ok(rows <= 20, `${JSON.stringify(filter)} read ${rows} rows`);
      assert.ok(entries <= matching + 60, `${JSON.stringify(filter)} read ${entries} index entries`);
    }
  }
});

test('a search by terms of the index reads the rows that match alone', async () => {
  const owner = await newUser(store, 'terms@app.test');
  const domain = await newDomain(store, owner, 'terms.test');
  const account = await newAccount(store, owner, domain.id, 'qa@terms.test');
  await deliverMany(store, account, 60);
  const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
  await store.deliveries.commit([
    sentBy(mail([target(account, { deliveredTo: 'qa+1@terms.test', tags: ['red'] })], { traceId }), {
      ...{ namespace: 'shop', pod: 'web-1', workload: 'Job/mail' },
    }),
  ]);
  for (const scope of [{}, { mailboxId: mailboxId(account, 'INBOX') }]) {
    for (const [q, matching] of [
      ['address:qa+1@terms.test', 1],
      ['tag:red', 1],
      [`trace:${traceId}`, 1],
      ['namespace:shop workload:mail', 1],
      ['dmarc:fail', 0],
      ['has:html', 0],
      ['-has:code', 0],
    ] as const) {
      const filter = filterWith(scope, parseQuery(q));
      const operations = await profiled(client.db(), async () => {
        const { total } = await store.messages.list(owner, filter, { page: 1, limit: 10 }, now());
        assert.equal(total, matching, q);
      });
      assert.deepEqual(careless(operations), []);
      const onRows = operations.filter(({ ns }) => ns.endsWith('.messages'));
      const rows = onRows.reduce((sum, { docsExamined }) => sum + docsExamined, 0);
      assert.ok(rows <= matching + 10, `${q} read ${rows} rows`);
    }
  }
});

test('a list over many mailboxes is read in its order, a page at a time', async () => {
  const owner = await newUser(store, 'boxes@app.test');
  const domain = await newDomain(store, owner, 'boxes.test');
  const account = await newAccount(store, owner, domain.id, 'qa@boxes.test');
  const scope = { accountId: account.id };
  const page = { page: 2, limit: 10 };
  const wanted = (await deliverMany(store, account, 60)).toReversed().slice(10, 20);
  // MongoDB stops merging parts of an index beyond some number.
  for (const boxes of [10, 210]) {
    const { total = 0 } = (await store.mailboxes.list(owner, account.id, page)) ?? {};
    for (let index = total; index < boxes; index += 1) {
      await store.mailboxes.insert(owner, account.id, `Box ${index}`, new Date());
    }
    const operations = await profiled(client.db(), async () => {
      const { items } = await store.messages.list(owner, scope, page, now());
      const ids = items.map(({ id }) => id);
      assert.deepEqual(ids, wanted);
      await store.messages.list(owner, { ...scope, ...searching({ words: ['mail'] }) }, page, now());
    });
    assert.deepEqual(careless(operations.filter(({ command }) => command.aggregate !== 'teamVersions')), []);
    const [lookedAt] = operations.filter(({ command }) => command.find === 'messages');
    assert.ok(lookedAt && lookedAt.docsExamined <= 20, `${lookedAt?.docsExamined} rows were read`);
  }
});

test('every write runs on an index too', async () => {
  const owner = await newUser(store, 'writer@app.test');
  const domain = await newDomain(store, owner, 'writes.test');
  const account = await newAccount(store, owner, domain.id, 'qa@writes.test');
  const other = await newUser(store, 'other@app.test');
  const later = { now: new Date(), receivedAfter: new Date(Date.now() - 1000) };
  const operations = await profiled(client.db(), async () => {
    const [id = 0] = await deliverMany(store, account, 20);
    await deliver(store, account, { msgid: '<p@x>' });
    await deliver(store, account, { msgid: '<c@x>', inReplyTo: '<p@x>' });
    await deliver(store, account, { msgid: '<d@x>', references: ['<p@x>', '<c@x>'] });
    await store.messages.update(owner, id, { isRead: true }, now());
    await store.messages.update(owner, id, { mailboxId: mailboxId(account, 'Junk') }, now());
    await store.messages.remove(owner, id, now());
    await store.messages.removeSome(owner, { mailboxId: mailboxId(account, 'INBOX'), upTo: 1_000_000 }, 2);
    const old = { receivedAt: new Date(Date.now() - 60_000) };
    await deliver(store, account, { ...old, msgid: '<e@x>', inReplyTo: '<d@x>' });
    const at = new Date();
    await store.upkeep({ do: 'remove-expired-messages', visibility: later }, 100);
    await store.upkeep({ do: 'remove-orphan-bodies', before: at }, 100);
    await store.upkeep({ do: 'prune-journal', before: at, keep: 5 }, 100);
    await store.upkeep({ do: 'prune-audit-log', before: at }, 100);
    const terms = { quotas, limit: 2, now: new Date() };
    await store.moves.begin(owner, domain.id, other, terms);
    while ((await store.moves.step(null, 2, new Date())) !== null);
    await store.moves.begin(other, domain.id, owner, { ...terms, limit: 500 });
    await store.accounts.softDelete(owner, account.id, new Date());
    await store.domains.softDelete(owner, domain.id, new Date());
    await clearAll(store, 10);
    await store.upkeep({ do: 'remove-expired-secrets', now: at }, 100);
    await store.users.setPassword(owner, 'hash');
  });
  assert.ok(operations.length > 150, `${operations.length} operations were noted`);
  assert.deepEqual(careless(operations), []);
});
