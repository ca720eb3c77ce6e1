import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openMongoStore } from '#adapters/stores/mongo/open.ts';
import type { Account } from '#core/accounts/account.ts';
import { mail } from '#test/once/conformance/mail.ts';
import { countsOf, journalOf, newAccount, newDomain, newUser, target } from '#test/once/conformance/scene.ts';
import { startMongod, type TestMongo } from '#test/support/stores/mongod.ts';
import { type PeopledStore as Store, withPeople } from '#test/support/stores/people.ts';

let mongo: TestMongo;
let a: Store;
let b: Store;
let made = 0;
before(async () => {
  mongo = await startMongod();
  [a, b] = await Promise.all([
    openMongoStore(mongo).then(withPeople),
    openMongoStore(mongo).then(withPeople),
  ]);
});
after(async () => {
  await Promise.all([a.close(), b.close()]);
  await mongo.close();
});

/** Creates an account for each of `count` new users. */
async function newAccounts(count: number): Promise<Account[]> {
  const accounts: Account[] = [];
  while (accounts.length < count) {
    made += 1;
    const owner = await newUser(a, `user${made}@app.test`);
    const domain = await newDomain(a, owner, `d${made}.test`);
    accounts.push(await newAccount(a, owner, domain.id, `qa@d${made}.test`));
  }
  return accounts;
}

/** Checks that the events of an account's team are numbered from 1 to `count`. */
async function assertNumbers(account: Account, count: number): Promise<void> {
  const events = await journalOf(a, account.owner);
  assert.deepEqual(
    events.map(({ number }) => number),
    Array.from({ length: count }, (_, i) => i + 1),
  );
  assert.equal((await a.journal.heads([account.owner])).get(account.owner), count);
}

test('mail of several users in a batch is numbered for each user, and refused mail takes no number', async () => {
  const [one, full, two] = await newAccounts(3);
  assert.ok(one && full && two);
  await a.accounts.update(full.owner, full.id, { storageLimit: 15 }, new Date());
  const bytes = Buffer.alloc(10, 'x');
  const to = (...accounts: Account[]) =>
    mail(
      accounts.map((account) => target(account)),
      { bytes },
    );
  const mails = [to(one), to(full), to(two), to(full, one), to(full), to(two, one), to(one)];
  const verdicts = await a.deliveries.commit(mails);
  assert.deepEqual(
    verdicts.map((verdict) => ('ids' in verdict ? verdict.ids.length : verdict.reason)),
    [1, 1, 1, 'no-room', 'no-room', 2, 1],
  );
  for (const [account, count] of [
    [one, 3],
    [full, 1],
    [two, 2],
  ] as const) {
    await assertNumbers(account, count);
    assert.deepEqual(await countsOf(a, account), { usedBytes: count * 10, total: count, unread: count });
  }
});

test('a batch whose mails are all refused leaves the numbers unchanged', async () => {
  const [full] = await newAccounts(1);
  assert.ok(full);
  await a.accounts.update(full.owner, full.id, { storageLimit: 1 }, new Date());
  const [verdict] = await a.deliveries.commit([mail([target(full)], { bytes: Buffer.alloc(10) })]);
  assert.deepEqual(verdict, { reason: 'no-room', address: full.address });
  await assertNumbers(full, 0);
});

test('two processes deliver to the same ten users: all mail is taken, in order', async (t) => {
  const accounts = await newAccounts(10);
  const commits = [a.deliveries.commit, b.deliveries.commit];
  const begun = performance.now();
  const clients = commits.flatMap((commit) =>
    Array.from({ length: 10 }, async (_, client) => {
      for (let i = 0; i < 20; i += 1) {
        const account = accounts[(client + i) % accounts.length];
        assert.ok(account);
        const [verdict] = await commit([mail([target(account)])]);
        assert.ok(verdict && 'ids' in verdict);
      }
    }),
  );
  await Promise.all(clients);
  t.diagnostic(`400 mails in ${Math.round(performance.now() - begun)} ms`);
  for (const account of accounts) await assertNumbers(account, 40);
});
