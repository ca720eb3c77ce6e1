import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Account, defaultFlags } from '#core/accounts/account.ts';
import { parseAddress } from '#core/accounts/address.ts';
import * as ofApiKeys from '#test/support/kubernetes/api-key-views.ts';
import {
  addressOf,
  decideInbox,
  entriesOf,
  type InboxResource,
  type InboxView,
  localPartOf,
} from './decide.ts';

const { key, secret, addresses, at } = ofApiKeys;

const resource = (metadata: object = {}, spec: Partial<InboxResource['spec']> = {}): InboxResource => ({
  ...{ apiVersion: 'sandpost.dev/v1alpha1', kind: 'Inbox' },
  metadata: ofApiKeys.resource({ name: 'sign-up', ...metadata }).metadata,
  spec: { domain: 'app.test', ...spec },
});
const address = addressOf(resource(), 'app.test');
const account: Account = {
  ...{ id: 8, owner: 1, domainId: 1, address, ...defaultFlags },
  ...{ storageLimit: 1_000_000, usedBytes: 0, fullAt: null },
  ...{ managedBy: 'qa/sign-up/Inbox', mailboxes: [], createdAt: at, updatedAt: at },
};
const domain = { name: 'app.test', active: true };
const own = (id: number, accountIds: number[] | null = [8]) => key(id, { scope: 'accounts', accountIds });
const deleted = { metadata: resource({ deletionTimestamp: 'x' }).metadata };

function view(words: Partial<InboxView> = {}): InboxView {
  const base: InboxView = {
    ...{ resource: resource(), owner: 1, lacking: [], domain, account, addresses, isNew: false },
    ...{ isMarked: true, secret: null, keyInSecret: { id: 3 }, storedKeys: [own(3)], found: [] },
    pace: { repairs: 0, pauseMs: 0 },
  };
  return { ...base, secret: secret({ data: entriesOf(base, 'sp_x', address) }), ...words };
}

/** View, and the step, or Ready's state and reason. */
const cases: [string, Partial<InboxView>, object | string][] = [
  ['one without a finalizer', { resource: resource({ finalizers: [] }) }, { do: 'add-finalizer' }],
  ['a new one', { secret: null, account: null, storedKeys: [] }, { do: 'write-secret', value: 'new' }],
  [
    'one with a Secret alone',
    { account: null, storedKeys: [], keyInSecret: 'unknown' },
    { do: 'create-account', address },
  ],
  ['one whose account has no mark', { isMarked: false }, { do: 'mark-account', id: 8 }],
  [
    'one without a key, whose account has no mark',
    { isMarked: false, storedKeys: [], keyInSecret: 'unknown' },
    { do: 'mark-account', id: 8 },
  ],
  ['one without a key', { storedKeys: [], keyInSecret: 'unknown' }, { do: 'store-key', accountId: 8 }],
  ['a whole one', {}, 'True Active'],
  ['one of an inactive domain', { domain: { ...domain, active: false } }, 'True Inactive'],
  ['one with a full account', { account: { ...account, fullAt: at } }, 'True Full'],
  ['one that lost its Secret', { secret: null, keyInSecret: 'malformed' }, { do: 'revoke-key', id: 3 }],
  ['one whose account is gone', { account: null }, { do: 'revoke-key', id: 3 }],
  ['one whose account was made again', { account: { ...account, id: 9 } }, { do: 'revoke-key', id: 3 }],
  ['one with a key to all accounts', { storedKeys: [own(3, null)] }, { do: 'revoke-key', id: 3 }],
  ['one with a key to two accounts', { storedKeys: [own(3, [8, 9])] }, { do: 'revoke-key', id: 3 }],
  ['one with two keys', { storedKeys: [own(2), own(3)] }, { do: 'revoke-key', id: 2 }],
  [
    'one whose Secret has the key of somebody else',
    { storedKeys: [], keyInSecret: 'foreign' },
    { do: 'write-secret', value: 'new' },
  ],
  [
    'one whose Secret has another address',
    { secret: secret({ data: { ...entriesOf(view(), 'sp_x', 'a@b.test') } }) },
    { do: 'write-secret', value: 'same' },
  ],
  [
    'one whose Secret has entries of earlier settings',
    {
      secret: secret({
        data: { ...entriesOf(view(), 'sp_x', address), SANDPOST_SMTPS_PORT: '465', EXTRA: 'mine' },
        written: [...Object.keys(entriesOf(view(), 'sp_x', address)), 'SANDPOST_SMTPS_PORT'],
      }),
    },
    { do: 'remove-entries', names: ['SANDPOST_SMTPS_PORT'] },
  ],
  [
    'a new one with a Secret whose label an admission policy replaces',
    { secret: secret({ data: entriesOf(view(), 'sp_x', address), isLabelled: false }) },
    'True Active',
  ],
  [
    'one with the Secret of an earlier Inbox',
    { secret: secret({ isInherited: true }), storedKeys: [], account: null },
    { do: 'remove-secret' },
  ],
  [
    "a Secret that is somebody else's",
    { secret: secret({ isOurs: false }), storedKeys: [], account: null },
    'False SecretExists',
  ],
  ['a domain of another namespace', { domain: null, account: null, storedKeys: [] }, 'False DomainMissing'],
  ['a new one without a domain', { domain: null, storedKeys: [], isNew: true }, 'False DomainPending'],
  ['a deleted one', { resource: resource(deleted.metadata) }, { do: 'revoke-key', id: 3 }],
  [
    'a deleted one without a key',
    { resource: resource(deleted.metadata), storedKeys: [] },
    { do: 'delete-account', id: 8 },
  ],
  [
    'a deleted one with a Secret',
    { resource: resource(deleted.metadata), storedKeys: [], account: null },
    { do: 'remove-secret' },
  ],
  [
    "a deleted one with a Secret that is somebody else's",
    {
      ...{ resource: resource(deleted.metadata), storedKeys: [], account: null },
      secret: secret({ isOurs: false }),
    },
    { do: 'remove-finalizer' },
  ],
];
for (const [name, words, wanted] of cases) {
  test(`${name}: ${JSON.stringify(wanted)}`, () => {
    const step = decideInbox(view(words));
    if (step.do !== 'report') return assert.deepEqual(step, wanted);
    const ready = step.findings.find(({ type }) => type === 'Ready');
    assert.equal(`${ready?.status} ${ready?.reason}`, wanted);
  });
}

test('the status has the address, and code and link of the newest mail with one', () => {
  const mail = (code: string | null, mainLink: string | null) => ({ code, mainLink });
  const found = [mail(null, 'https://app.test/\u001b'), mail('1\u001b2', null), mail('3', 'https://b.test')];
  const step = decideInbox(view({ found }));
  const ids = { address, accountId: 8, tokenId: 3, secretName: 'sign-up' };
  assert.deepEqual(step.do === 'report' && step.fields, { ...ids, code: '1 2' });
  const whole = decideInbox(view({ found: [mail('7', 'https://app.test/x')] }));
  assert.deepEqual(whole.do === 'report' && whole.fields, { ...ids, code: '7', link: 'https://app.test/x' });
});

test('the code of new mail shows while the repair of a Secret waits', () => {
  const { resource: new_, secret: whole } = view();
  const status = { tokenId: 3, secretName: 'sign-up', observedGeneration: 1 };
  const damaged = secret({ data: { ...whole?.data, port: '1' }, written: [] });
  const waiting = {
    ...{ resource: { ...new_, status }, pace: { repairs: 6, pauseMs: 32_000 } },
    found: [{ code: '7', mainLink: null }],
  };
  const lost: Partial<InboxView> = { secret: null, keyInSecret: 'malformed', storedKeys: [] };
  for (const words of [{ secret: damaged }, lost]) {
    const step = decideInbox(view({ ...waiting, ...words }));
    assert.ok(step.do === 'report', step.do);
    assert.deepEqual([step.fields.code, step.fields.tokenId, step.requeueAfterMs], ['7', 3, 32_000]);
    assert.ok(step.findings.some(({ type, status: is }) => type === 'Ready' && is === 'True'));
  }
});

test('a full account says so', () => {
  const step = decideInbox(view({ account: { ...account, fullAt: at } }));
  assert.ok(step.do === 'report' && step.findings.some(({ message }) => /is full/.test(message)));
});

test('the status has the account that there is, by which an Inbox without its domain keeps its key', () => {
  const foreign = { secret: secret({ isOurs: false }), storedKeys: [] };
  for (const words of [{ domain: null }, { domain: null, isNew: true }, foreign]) {
    const step = decideInbox(view(words));
    assert.deepEqual(step.do === 'report' && step.fields, { address, accountId: 8 });
    const without = decideInbox(view({ ...words, account: null, storedKeys: [] }));
    assert.deepEqual(without.do === 'report' && without.fields, {});
  }
});

test('an address follows from the UID alone, and is one with any prefix', () => {
  assert.equal(localPartOf(resource()), localPartOf(resource({ name: 'other', namespace: 'other' })));
  assert.notEqual(localPartOf(resource()), localPartOf(resource({ uid: 'v' })));
  assert.match(localPartOf(resource()), /^inbox-[0-9a-f]{24}$/);
  for (const addressPrefix of ['ci', 'Shop_1.a-', '-', '_', 'a'.repeat(39), '0', 'postmaster']) {
    const made = addressOf(resource({}, { addressPrefix }), 'app.test');
    assert.equal(parseAddress(made)?.address, made);
    assert.ok(made.startsWith(addressPrefix.toLowerCase()));
  }
});
