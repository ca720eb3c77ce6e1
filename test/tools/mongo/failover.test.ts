import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { openMongoStore } from '#adapters/stores/mongo/open.ts';
import type { Account } from '#core/accounts/account.ts';
import { StoreUnavailable } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { mail } from '#test/once/conformance/mail.ts';
import {
  countsOf,
  journalOf,
  newAccount,
  newDomain,
  newUser,
  now,
  rawOf,
  target,
} from '#test/once/conformance/scene.ts';
import { paced } from '#test/support/runner/clocks.ts';
import { until } from '#test/support/runner/until.ts';
import { startOwnMongod } from '#test/support/stores/mongod.ts';
import { type PeopledStore as Store, withPeople } from '#test/support/stores/people.ts';
import { startReplicaSet } from '#test/support/stores/replica-set.ts';

/** Email that keeps coming until `stop`. `taken` holds the acknowledged emails, `longestMs` the longest gap between two. */
class Load {
  readonly taken = new Map<Id, Buffer>();
  refused = 0;
  longestMs = 0;
  readonly #clients: Promise<void>[];
  #last = performance.now();
  #stopped = false;

  constructor(store: Store, account: Account) {
    const commit = store.deliveries.commit;
    this.#clients = Array.from({ length: 4 }, async (_, client) => {
      for (let i = 0; !this.#stopped; i += 1) {
        // Makes every tenth email too large for one chunk. The server stores it before the transaction.
        const bytes = Buffer.alloc(i % 10 === 9 ? 300_000 : 2000, `client ${client} mail ${i}; `);
        try {
          const [verdict] = await commit([mail([target(account)], { bytes })]);
          assert.ok(verdict && 'ids' in verdict);
          this.taken.set(verdict.ids[0] ?? 0, bytes);
          this.longestMs = Math.max(this.longestMs, performance.now() - this.#last);
          this.#last = performance.now();
        } catch (error) {
          if (!(error instanceof StoreUnavailable)) throw error;
          this.refused += 1;
          await paced(50);
        }
      }
    });
  }

  /** Resolves when `count` more emails have been acknowledged. */
  async more(count: number): Promise<void> {
    const wanted = this.taken.size + count;
    await until(() => this.taken.size >= wanted);
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    await Promise.all(this.#clients);
  }
}

async function scene(store: Store): Promise<{ owner: Id; account: Account }> {
  const owner = await newUser(store);
  const domain = await newDomain(store, owner, 'app.test');
  return { owner, account: await newAccount(store, owner, domain.id, 'qa@app.test') };
}

/** Checks that acknowledged emails are stored byte for byte, and that the counts match the stored emails. */
async function check(store: Store, account: Account, load: Load, t: TestContext): Promise<void> {
  const { owner } = account;
  const { taken, refused, longestMs } = load;
  t.diagnostic(`${taken.size} acknowledged, ${refused} refused, longest pause ${Math.round(longestMs)} ms`);
  for (const [id, bytes] of taken) assert.ok((await rawOf(store, owner, id)).equals(bytes), `message ${id}`);
  const sizes: number[] = [];
  for (let page = 1; sizes.length === (page - 1) * 200; page += 1) {
    const { items } = await store.messages.list(owner, {}, { page, limit: 200 }, now());
    sizes.push(...items.map(({ sizeBytes }) => sizeBytes));
  }
  assert.ok(sizes.length >= taken.size);
  const usedBytes = sizes.reduce((sum, size) => sum + size, 0);
  assert.deepEqual(await countsOf(store, account), {
    usedBytes,
    total: sizes.length,
    unread: sizes.length,
  });
  const events = await journalOf(store, owner);
  const numbers = events.map(({ number }) => number);
  assert.deepEqual(
    numbers,
    sizes.map((_, i) => i + 1),
  );
}

test('a mongod that is killed comes back with all acknowledged mail, and is found again', async (t) => {
  const mongo = await startOwnMongod();
  const { server } = mongo;
  const store = withPeople(await openMongoStore(mongo));
  const { account } = await scene(store);
  const load = new Load(store, account);
  await load.more(20);
  await server.end('SIGKILL');
  await server.start();
  await load.more(20);
  await server.end('SIGKILL');
  await assert.rejects(store.ping(), StoreUnavailable);
  await assert.rejects(store.users.findById(account.owner), StoreUnavailable);
  await server.start();
  await load.more(20);
  await load.stop();
  await check(store, account, load, t);
  await store.close();
  await mongo.close();
});

test('the primary of three members steps down, and is killed: no acknowledged mail is lost', async (t) => {
  const set = await startReplicaSet();
  const store = withPeople(await openMongoStore(set));
  const { account } = await scene(store);
  const load = new Load(store, account);
  await load.more(20);
  await set.stepDown();
  await load.more(20);
  await (await set.primary()).end('SIGKILL');
  await load.more(50);
  await load.stop();
  await check(store, account, load, t);
  await store.close();
  await set.close();
});
