import assert from 'node:assert/strict';
import { createDomain } from '#core/domains/create-domain.ts';
import { Invalid } from '#core/errors.ts';
import { quotas } from '#test/support/program/quotas.ts';
import { accountInput, newUser, onEachStore } from './scene.ts';

/** Counts the successful attempts. Quotas must refuse the others. */
async function made(attempts: Promise<unknown>[]): Promise<number> {
  const results = await Promise.allSettled(attempts);
  for (const result of results) {
    assert.ok(
      result.status === 'fulfilled' ? result.value !== null : result.reason instanceof Invalid,
      `${result.status}`,
    );
  }
  return results.filter(({ status }) => status === 'fulfilled').length;
}

const ten = Array.from({ length: 10 }, (_, index) => index);

onEachStore(
  'a user has at most so many domains and accounts, made at once or not',
  async ({ store, owner, domain, account }) => {
    const { id: _, owner: __, updatedAt: ___, ...input } = domain;
    const makeDomains = (who: number, from: string) =>
      made(ten.map((index) => store.domains.insert(who, { ...input, name: `d${index}.${from}.test` }, 4)));
    assert.equal(await makeDomains(owner, 'a'), 3);
    assert.equal(await makeDomains(owner, 'b'), 0);
    assert.equal(await makeDomains(await newUser(store, 'other@team.test'), 'c'), 4);
    await store.domains.softDelete(
      owner,
      (await store.rows.read('domain', { team: owner, domain: 'app.test' }))?.id ?? 0,
      new Date(),
    );
    assert.equal(await makeDomains(owner, 'd'), 1);

    const [existing] = (await store.rows.list('domains', { team: owner }, { page: 1, limit: 1 })).items;
    const makeAccounts = (from: string) =>
      made(
        ten.map((index) =>
          store.accounts.insert(
            owner,
            accountInput(existing?.id ?? 0, `q${index}${from}@${existing?.name}`),
            4,
          ),
        ),
      );
    assert.equal(await makeAccounts('a'), 4);
    assert.equal(await makeAccounts('b'), 0);
    assert.equal(await store.accounts.find(owner, account.id), null, 'what is deleted does not count');
  },
);

onEachStore(
  'an account has at most so many mailboxes, and a user so many keys',
  async ({ store, owner, account }) => {
    const boxes = ten.map((index) =>
      store.mailboxes.insert(owner, account.id, `Box ${index}`, new Date(), 8),
    );
    assert.equal(await made(boxes), 3);
    const keys = ten.map((index) =>
      store.apiKeys.insert(
        owner,
        { name: 'k', prefix: 'sp_', hash: `hash ${index}`, createdAt: new Date() },
        { most: 4 },
      ),
    );
    assert.equal(await made(keys), 4);
    const [oldest] = (await store.rows.list('apiKeys', { team: owner }, { page: 1, limit: 10 })).items;
    await store.apiKeys.remove(owner, oldest?.id ?? 0);
    const again = { name: 'k', prefix: 'sp_', hash: 'again', createdAt: new Date() };
    assert.equal(await made([store.apiKeys.insert(owner, again, { most: 4 })]), 1);
    const other = await newUser(store, 'other@team.test');
    assert.equal(await made([store.apiKeys.insert(other, { ...again, hash: 'of another' }, { most: 4 })]), 1);
  },
);

onEachStore('a domain beyond the quota is refused with the limit', async ({ store, owner }) => {
  const ports = { ...store, quotas: { ...quotas, domains: 1 }, domainSuffixes: [], clock: () => new Date() };
  const input = { name: 'more.test', verified: true, active: true, managedBy: 'qa/more' };
  await assert.rejects(createDomain(ports, owner, input), (error) => {
    assert.ok(error instanceof Invalid);
    assert.deepEqual(error.violations, [
      { field: 'domain', message: 'the limit of 1 domains has been reached' },
    ]);
    return true;
  });
});
