import assert from 'node:assert/strict';
import { test } from 'node:test';
import { defaultFlags } from '#core/accounts/account.ts';
import { acceptOrCapture, acceptRecipient } from './accept-recipient.ts';
import type { RecipientAnswer } from './delivery.ts';
import type { Submitter } from './submitter.ts';

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
const domain = (owner: number, accounts: Account[], more = {}): RecipientAnswer => ({
  domain: { id: owner, owner, active: true, verified: true, assumedClientIp: null, failures: 0, ...more },
  accounts,
});
const overflow = { dropsOldest: null, accountRefused: () => {} };

const exact = account(1, 'qa+run@app.test');
const base = account(2, 'qa@app.test');
const all = account(3, 'all@app.test', { catchAll: true });
const off = { active: false };

/** Address, its domain's accounts, and the chosen account or the refusal. */
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
  ['what is no address is told so', 'qa@app', [base], 'bad-address'],
  ['an address literal is no registered domain', 'qa@[10.0.0.1]', [base], 'unknown-domain'],
  ['the postmaster of the host has no account', 'PostMaster', [base], 'no-such-account'],
];

/** Ports whose domains all return this result. */
const answering = (answer: RecipientAnswer | null) => ({
  deliveries: { lookUp: async () => answer },
  requireVerified: true,
  overflow,
});

for (const [name, address, accounts, outcome] of cases) {
  test(name, async () => {
    const verdict = await acceptRecipient(answering(domain(9, accounts)), address, 100);
    assert.equal('refusal' in verdict ? verdict.refusal : verdict.accountId, outcome);
  });
}

/** Address, its account and its tag. */
const tags: [string, Account, string | null][] = [
  ['qa+Run+7@app.test', base, 'Run+7'],
  ['QA@app.test', all, null],
];
for (const [address, found, tag] of tags) {
  test(`${address} has the tag ${tag} as it is spelled, and its domain assumes an address`, async () => {
    const answer = domain(9, [found], { assumedClientIp: '203.0.113.7' });
    assert.deepEqual(await acceptRecipient(answering(answer), address, 0), {
      address,
      owner: 9,
      accountId: found.id,
      tag,
      assumedClientIp: '203.0.113.7',
      failures: 0,
      ...defaultFlags,
      catchAll: found.catchAll,
    });
  });
}

test('the store is asked for the address and for that without its tag, each once', async () => {
  const asked: [string, string[]][] = [];
  const deliveries = {
    async lookUp(name: string, addresses: string[]) {
      asked.push([name, addresses]);
      return null;
    },
  };
  await acceptRecipient({ deliveries, requireVerified: false, overflow }, 'QA+Run@App.test', 0);
  await acceptRecipient({ deliveries, requireVerified: false, overflow }, 'qa@app.test', 0);
  assert.deepEqual(asked, [
    ['app.test', ['qa+run@app.test', 'qa@app.test']],
    ['app.test', ['qa@app.test']],
  ]);
});

/** Refusals of qa@app.test, with its account's owner and its domain's team. */
const refusals: [string, RecipientAnswer | null, object][] = [
  ['of the team without an account', domain(9, []), { refusal: 'no-such-account', owner: null, team: 9 }],
  ['by an inactive domain', domain(9, [base], off), { refusal: 'inactive-domain', owner: 9, team: 9 }],
  [
    'by a domain that is not verified',
    domain(9, [base], { verified: false }),
    { refusal: 'unverified-domain', owner: 9, team: 9 },
  ],
  ['by no domain', null, { refusal: 'unknown-domain', owner: null, team: null }],
];
for (const [name, answer, refused] of refusals) {
  test(`a recipient is refused ${name}`, async () =>
    assert.deepEqual(await acceptRecipient(answering(answer), 'qa@app.test', 0), refused));
}

/** Domains of user 1 and user 2. */
const domains: Record<string, RecipientAnswer> = {
  'own.test': domain(1, [
    account(10, 'qa@own.test'),
    account(11, 'inbox@own.test'),
    account(12, 'off@own.test', off),
    account(13, 'full@own.test', { storageLimit: 0 }),
  ]),
  'idle.test': domain(1, [account(14, 'qa@idle.test')], off),
  'wild.test': domain(1, [account(15, '*@wild.test', { catchAll: true })]),
  'other.test': domain(2, [account(20, 'qa@other.test'), account(21, 'off@other.test', off)]),
};

const ports = (
  captureOfUser: string | null,
  captureAddress: string | null,
  everybody: Submitter | null = null,
) => ({
  deliveries: {
    async lookUp(name: string, addresses: string[]) {
      const answer = domains[name];
      if (answer === undefined) return null;
      const own = answer.accounts.filter(({ address }) => addresses.includes(address));
      return {
        ...answer,
        accounts: own.length > 0 ? own : answer.accounts.filter(({ catchAll }) => catchAll),
      };
    },
  },
  accounts: { findCapture: async () => captureOfUser },
  requireVerified: false,
  overflow,
  captureAddress,
  everybody,
});

const key: Submitter = { owner: 1, kind: 'api_key', name: 'ci', proof: 'hash' };
const as = (name: string): Submitter => ({ owner: 1, kind: 'account', name, proof: 'hash' });

/** Recipient, signed-in user, and the account that receives the email, or the refusal with the address that it names. */
const submitted: [string, Submitter, number | string][] = [
  ['qa@own.test', key, 10],
  ['alice@gmail.com', key, 11],
  ['alice@gmail.com', as('qa@own.test'), 10],
  ['qa@other.test', key, 11],
  ['off@other.test', key, 11],
  ['nobody@other.test', key, 11],
  ['nobody@own.test', key, 11],
  ['nobody@idle.test', key, 11],
  ['qa@idle.test', key, 'inactive-domain qa@idle.test'],
  ['off@own.test', key, 'inactive-account off@own.test'],
  ['full@own.test', key, 'no-room full@own.test'],
  ['any@wild.test', key, 15],
  ['alice@gmail.com', as('*@wild.test'), 15],
  ['bob@[192.0.2.1]', key, 11],
  ['bob@localhost', key, 11],
  ['root', key, 11],
  ['"a b"@own.test', key, 11],
  ['"a b"@gmail.com', as('qa@own.test'), 10],
  ['"qa"@own.test', key, 10],
  ['a..b.@wild.test', key, 15],
  ['alice@gmail.com', as('off@own.test'), 'inactive-account off@own.test'],
  ['alice@gmail.com', as('full@own.test'), 'no-room full@own.test'],
  ['alice@gmail.com', as('qa@idle.test'), 'inactive-domain qa@idle.test'],
  ['alice@gmail.com', as('gone@own.test'), 'no-capture alice@gmail.com'],
  ['alice@gmail.com', as('qa@gone.test'), 'no-capture alice@gmail.com'],
];

const outcomeOf = (verdict: Awaited<ReturnType<typeof acceptOrCapture>>) =>
  'refusal' in verdict ? `${verdict.refusal} ${verdict.address}` : verdict.accountId;

for (const [address, submitter, outcome] of submitted) {
  test(`${address} from ${submitter.name}: ${outcome}`, async () => {
    const verdict = await acceptOrCapture(ports('inbox@own.test', null), address, 0, submitter);
    assert.equal(outcomeOf(verdict), outcome);
    if (!('refusal' in verdict)) assert.deepEqual([verdict.owner, verdict.address], [1, address]);
  });
}

test('a captured recipient keeps its tag', async () => {
  const verdict = await acceptOrCapture(ports('inbox@own.test', null), 'Al+Run7@gmail.com', 0, key);
  assert.partialDeepStrictEqual(verdict, { owner: 1, accountId: 11, tag: 'Run7' });
});

test('without a capture account a key reaches its own addresses alone', async () => {
  assert.equal(outcomeOf(await acceptOrCapture(ports(null, null), 'qa@own.test', 0, key)), 10);
  const refused = await acceptOrCapture(ports(null, 'inbox@own.test'), 'qa@other.test', 0, key);
  assert.equal(outcomeOf(refused), 'no-capture qa@other.test');
});

/** Recipient in a session without sign-in, with the setting and without. */
const unsigned: [string, number | string, number | string][] = [
  ['alice@gmail.com', 11, 'unknown-domain alice@gmail.com'],
  ['qa@other.test', 20, 20],
  ['nobody@other.test', 'no-such-account nobody@other.test', 'no-such-account nobody@other.test'],
  ['bob@[192.0.2.1]', 11, 'unknown-domain bob@[192.0.2.1]'],
  ['postmaster', 11, 'no-such-account postmaster'],
  ['bob@localhost', 11, 'bad-address bob@localhost'],
  ['bob@my_container', 11, 'bad-address bob@my_container'],
  ['root', 11, 'bad-address root'],
  ['bob.@gmail.com', 11, 'unknown-domain bob.@gmail.com'],
  ['b..ob@my_host.test', 11, 'unknown-domain b..ob@my_host.test'],
  ['"b ob"@gmail.com', 11, 'unknown-domain "b ob"@gmail.com'],
  ['"qa@own.test"@gmail.com', 11, 'unknown-domain "qa@own.test"@gmail.com'],
  ['"bob\u200b"@other.test', 'bad-address "bob\u200b"@other.test', 'bad-address "bob\u200b"@other.test'],
  ['"b ob"@wild.test', 15, 15],
];

for (const [address, withSetting, without] of unsigned) {
  test(`${address} without sign-in: ${withSetting}, and ${without} without the setting`, async () => {
    assert.equal(
      outcomeOf(await acceptOrCapture(ports(null, 'inbox@own.test'), address, 0, null)),
      withSetting,
    );
    assert.equal(outcomeOf(await acceptOrCapture(ports('inbox@own.test', null), address, 0, null)), without);
  });
}

test('a setting that names no account is told', async () => {
  const verdict = await acceptOrCapture(ports(null, 'gone@own.test'), 'alice@gmail.com', 0, null);
  assert.equal(outcomeOf(verdict), 'no-capture-setting alice@gmail.com');
});

/** Recipient in a session without sign-in. The account inbox@own.test accepts mail from everybody. */
const ofEverybody: [string, number | string][] = [
  ['alice@gmail.com', 11],
  ['nobody@own.test', 11],
  ['nobody@idle.test', 11],
  ['bob@[192.0.2.1]', 11],
  ['"a@b"@gmail.com', 11],
  ['.qa@own.test', 11],
  ['root', 11],
  ['qa@own.test', 10],
  ['"\u200b"@other.test', 'bad-address "\u200b"@other.test'],
  ['off@own.test', 'inactive-account off@own.test'],
  ['qa@other.test', 20],
  ['off@other.test', 'inactive-account off@other.test'],
  ['nobody@other.test', 'no-such-account nobody@other.test'],
];

for (const [address, outcome] of ofEverybody) {
  test(`${address} of everybody: ${outcome}`, async () => {
    const given = ports(null, null, as('inbox@own.test'));
    assert.equal(outcomeOf(await acceptOrCapture(given, address, 0, null)), outcome);
  });
}
