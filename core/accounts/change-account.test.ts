import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Facts, Rivals } from '#core/change.ts';
import type { Domain } from '#core/domains/domain.ts';
import { NotFound } from '#core/errors.ts';
import { systemMailboxes } from '#core/mailboxes/mailbox.ts';
import type { Account, AccountChange } from './account.ts';
import { changeAccount, removeAccount, setAccount } from './change-account.ts';
import { addAccount, createAccount } from './create-account.ts';

const now = new Date(1000);
const domain = { id: 5, name: 'app.test' } as Domain;
const account = { id: 7, address: 'qa@app.test', storageLimit: 10, fullAt: now, managedBy: null } as Account;
const nobody: Rivals = { address: null, catchAll: null, capture: null };
const capture = { id: 8, address: 'b@app.test' };
const facts = (more: Partial<Facts> = {}) => ({
  ...{ newAccount: 7, newMailboxes: [1, 2, 3, 4, 5], domain, accounts: 1, account, mailboxes: [] },
  ...{ rivals: nobody, ...more },
});

const add = (more: Partial<Facts> = {}, words: Partial<Parameters<typeof addAccount.plan>[1]> = {}) =>
  addAccount.plan(facts(more) as Facts, {
    ...{ team: 3, domain: 'app.test', address: 'qa@app.test', active: true, catchAll: true, capture: true },
    ...{ storageLimit: 10, passwordHash: null, managedBy: null, createdAt: now, quota: 2, mostBytes: 10 },
    ...words,
  });
const set = (change: AccountChange, more: Partial<Facts> = {}, manager: string | null = null) =>
  setAccount.plan(facts(more) as Facts, { team: 3, account: 7, set: change, manager, mostBytes: 10, now });
const remove = (manager?: string | null) =>
  removeAccount.plan(facts() as Facts, {
    team: 3,
    account: 7,
    ...(manager !== undefined && { manager }),
    now,
  });

const refusals: [string, () => unknown, RegExp][] = [
  ['a domain of nobody', () => add({ domain: null }), /app.test is not one of your domains/],
  ['the id of another domain', () => add({}, { domainId: 6 }), /is not the id of the domain app.test/],
  ['a larger limit than allowed', () => add({}, { storageLimit: 11 }), /must be at most 0 MiB \(10 bytes\)/],
  ['an address that is taken', () => add({ rivals: { ...nobody, address: 8 } }), /already exists/],
  ['a second catch-all', () => add({ rivals: { ...nobody, catchAll: 8 } }), /already has a catch-all/],
  [
    'a second capture account',
    () => add({ rivals: { ...nobody, capture } }),
    /b@app.test is already the capture/,
  ],
  ['one account too many', () => add({ accounts: 2 }), /the limit of 2 accounts has been reached/],
  ['a change of what is not there', () => set({}, { account: null }), /NotFound/],
  ['a change by another manager', () => set({}, {}, 'qa/mine'), /is managed by the API/],
  ['a deletion by another manager', () => remove('qa/mine'), /is managed by the API/],
  ['a larger limit', () => set({ storageLimit: 11 }), /must be at most 0 MiB \(10 bytes\)/],
  [
    'a wildcard that is no catch-all',
    () => set({ catchAll: false }, { account: { ...account, address: '*@app.test' } }),
    /can only be a catch-all/,
  ],
  [
    'a catch-all beside another',
    () => set({ catchAll: true }, { rivals: { ...nobody, catchAll: 8 } }),
    /already has a catch-all/,
  ],
];

for (const [name, plan, message] of refusals)
  test(`an account: ${name} is refused`, () => assert.throws(plan, message));

test('a new account has its system mailboxes, with the ids that it was given', () => {
  const { writes, result } = add({ accounts: 5 }, { quota: 6, storageLimit: 9 });
  assert.deepEqual(
    result.mailboxes.map(({ id, accountId, path }) => [id, accountId, path]),
    systemMailboxes.map((path, index) => [index + 1, 7, path]),
  );
  assert.deepEqual(writes, [{ do: 'add-account', account: result, passwordHash: null }]);
});

test('an account keeps what it alone has, and is not full once its limit has changed', () => {
  const own = { rivals: { address: 7, catchAll: 7, capture: { id: 7, address: account.address } } };
  assert.equal(set({ catchAll: true, capture: true, storageLimit: 10 }, own).result.fullAt, now);
  const { writes, result } = set({ storageLimit: 9, passwordHash: 'h' });
  assert.deepEqual([result.storageLimit, result.fullAt, result.updatedAt], [9, null, now]);
  const written = { storageLimit: 9, passwordHash: 'h', updatedAt: now };
  assert.deepEqual(writes, [{ do: 'set-account', account: 7, set: written, room: true }]);
  assert.ok(!('passwordHash' in result));
});

test('the program itself deletes an account, whoever manages it', () => {
  assert.deepEqual(remove().writes, [{ do: 'delete-account', account: 7, now }]);
});

test('no password is hashed for what is refused anyway: hashing occupies a thread', async () => {
  const unexpected = async (): Promise<never> => assert.fail('a password was hashed, or a change was tried');
  const ports = (found: { domain?: Domain; account?: Account }) => ({
    rows: { change: unexpected, list: unexpected, read: async () => (found.domain ?? null) as never },
    accountPasswords: { hash: unexpected },
    payers: { of: unexpected },
    accounts: { find: async () => found.account ?? null },
    quotas: { domains: 1, accounts: 1, storageBytes: 10 },
    clock: () => now,
  });
  const password = 'long enough';
  const input = { address: 'qa@app.test', password, managedBy: null };
  await assert.rejects(createAccount(ports({}), 3, input), /app.test is not one of your domains/);
  const large = { ...input, storageLimit: 11 };
  await assert.rejects(createAccount(ports({ domain }), 3, large), /must be at most 0 MiB \(10 bytes\)/);
  await assert.rejects(changeAccount(ports({}), 3, 7, { password }), NotFound);
  const managed = { ...account, managedBy: 'a/b' };
  await assert.rejects(changeAccount(ports({ account: managed }), 3, 7, { password }), /is managed by/);
});
