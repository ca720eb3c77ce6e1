import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultFlags } from '#core/accounts/account.ts';
import { acceptRecipient } from './accept-recipient.ts';
import type { RecipientAnswer } from './delivery.ts';

type Account = RecipientAnswer['accounts'][number];

const account = (id: number, address: string, more: Partial<Account> = {}): Account => ({
  id,
  address,
  ...defaultFlags,
  storageLimit: 1000,
  usedBytes: 0,
  passwordHash: null,
  ...more,
});
const exact = account(1, 'qa+run@app.test');
const base = account(2, 'qa@app.test');
const all = account(3, 'all@app.test', { catchAll: true });
const off = { active: false };
const fullness = { dropsOldest: null, accountRefused: () => {} };

/** Address, accounts of its domain, and the chosen account or the refusal. */
const cases: [string, string, Account[], number | string][] = [
  ['the exact address comes first', 'qa+run@app.test', [all, base, exact], 1],
  ['then the address without its tag', 'qa+run@app.test', [all, base], 2],
  ['then the catch-all', 'qa+run@app.test', [all], 3],
  ['case does not matter', 'QA+Run@App.Test', [base], 2],
  ['without any, nobody', 'qa@app.test', [], 'no-such-account'],
  [
    'a silent exact owner answers for the address',
    'qa+run@app.test',
    [account(1, 'qa+run@app.test', off), base, all],
    'inactive-account',
  ],
  [
    'and a silent untagged one too',
    'qa+run@app.test',
    [account(2, 'qa@app.test', off), all],
    'inactive-account',
  ],
  ['a full account has no room', 'qa@app.test', [account(2, 'qa@app.test', { usedBytes: 901 })], 'no-room'],
  ['one that would be exactly full has', 'qa@app.test', [account(2, 'qa@app.test', { usedBytes: 900 })], 2],
  ['what is no address is told so', 'qa@[10.0.0.1]', [base], 'bad-address'],
];

function deliveriesWith(accounts: Account[], domain = { active: true, verified: false }) {
  const lookUp = async (): Promise<RecipientAnswer> => ({
    domain: { id: 1, owner: 9, assumedClientIp: '203.0.113.7', failures: 0, ...domain },
    accounts,
  });
  return { lookUp };
}

for (const [name, address, accounts, outcome] of cases) {
  test(name, async () => {
    const verdict = await acceptRecipient(
      { deliveries: deliveriesWith(accounts), requireVerified: false, fullness },
      address,
      100,
    );
    assert.equal('refusal' in verdict ? verdict.refusal : verdict.accountId, outcome);
  });
}

test('the tag keeps its spelling', async () => {
  const verdict = await acceptRecipient(
    { deliveries: deliveriesWith([base]), requireVerified: false, fullness },
    'qa+Run+7@app.test',
    0,
  );
  assert.deepEqual(verdict, {
    address: 'qa+Run+7@app.test',
    owner: 9,
    accountId: 2,
    tag: 'Run+7',
    assumedClientIp: '203.0.113.7',
    failures: 0,
    ...defaultFlags,
  });
});

test('an address without a tag has none, not even of the catch-all', async () => {
  const ports = { deliveries: deliveriesWith([all]), requireVerified: false, fullness };
  assert.deepEqual(await acceptRecipient(ports, 'QA@app.test', 0), {
    address: 'QA@app.test',
    owner: 9,
    accountId: 3,
    tag: null,
    assumedClientIp: '203.0.113.7',
    failures: 0,
    ...defaultFlags,
    catchAll: true,
  });
});

test('the store is asked for the address and for that without its tag, each once', async () => {
  const asked: [string, string[]][] = [];
  const deliveries = {
    async lookUp(name: string, addresses: string[]) {
      asked.push([name, addresses]);
      return null;
    },
  };
  await acceptRecipient({ deliveries, requireVerified: false, fullness }, 'QA+Run@App.test', 0);
  await acceptRecipient({ deliveries, requireVerified: false, fullness }, 'qa@app.test', 0);
  assert.deepEqual(asked, [
    ['app.test', ['qa+run@app.test', 'qa@app.test']],
    ['app.test', ['qa@app.test']],
  ]);
});

test('a refusal tells the team of the domain, also of an address without an account', async () => {
  const ports = { deliveries: deliveriesWith([]), requireVerified: false, fullness };
  assert.deepEqual(await acceptRecipient(ports, 'qa@app.test', 0), {
    ...{ refusal: 'no-such-account', owner: null, team: 9 },
  });
});

test('a domain decides before its accounts', async () => {
  const inactive = deliveriesWith([base], { active: false, verified: true });
  assert.deepEqual(
    await acceptRecipient({ deliveries: inactive, requireVerified: true, fullness }, 'qa@app.test', 0),
    {
      refusal: 'inactive-domain',
      owner: 9,
      team: 9,
    },
  );
  const pending = deliveriesWith([base], { active: true, verified: false });
  assert.deepEqual(
    await acceptRecipient({ deliveries: pending, requireVerified: true, fullness }, 'qa@app.test', 0),
    {
      refusal: 'unverified-domain',
      owner: 9,
      team: 9,
    },
  );
  const unknown = { ...pending, lookUp: async () => null };
  assert.deepEqual(
    await acceptRecipient({ deliveries: unknown, requireVerified: false, fullness }, 'qa@app.test', 0),
    {
      refusal: 'unknown-domain',
      owner: null,
      team: null,
    },
  );
});
