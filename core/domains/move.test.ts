import assert from 'node:assert/strict';
import { test } from 'node:test';
import { judgeMove, type MoveState, renumbering } from './move.ts';

const target = { domains: 0, accounts: 0, capture: null };
const state: MoveState = {
  ...{ managedBy: null, managedAccount: null, related: null, accounts: 2, capture: null },
  target,
};
const byShop = { address: 'qa@app.test', managedBy: 'shop/qa' };

const cases: [string, Partial<MoveState>, string | null][] = [
  ['nothing is in the way', {}, null],
  ['the last domain and the last accounts', { target: { ...target, domains: 2, accounts: 3 } }, null],
  ['a managed domain', { managedBy: 'shop/app' }, 'domain: is managed by the Kubernetes resource shop/app'],
  [
    'a managed account',
    { managedAccount: byShop },
    'domain: has the account qa@app.test, which the Kubernetes resource shop/qa manages',
  ],
  ['a related name', { related: 'mail.app.test' }, 'domain: is a parent or subdomain of mail.app.test'],
  ['a deleted team', { target: null }, 'to: is not one of your teams'],
  ['a domain too many', { target: { ...target, domains: 3 } }, 'to: already has 3 domains (owned.domains)'],
  [
    'an account too many',
    { target: { ...target, accounts: 4 } },
    'to: would have 6 accounts (owned.accounts)',
  ],
  [
    'two capture accounts',
    { capture: 'a@x', target: { ...target, capture: 'b@x' } },
    'to: already has a capture account',
  ],
  ['a capture account of the domain alone', { capture: 'a@x' }, null],
  ['a capture account of the target alone', { target: { ...target, capture: 'b@x' } }, null],
];

test('a move is refused for what it would break', () => {
  for (const [name, words, expected] of cases) {
    const refusal = judgeMove({ ...state, ...words }, { domains: 3, accounts: 5 });
    if (refusal === null || expected === null) {
      assert.deepEqual(refusal, expected, name);
      continue;
    }
    const [, begin = '', limit] = /^(.*?)(?: \((.*)\))?$/.exec(expected) ?? [];
    assert.ok(`${refusal.field}: ${refusal.message}`.startsWith(begin), `${name}: ${refusal.message}`);
    assert.equal(refusal.limit, limit, name);
  }
});

test('numbers of moved messages are behind those of the target, and tell moved from unmoved ones', () => {
  for (const heads of [
    { from: 0, to: 0 },
    { from: 3, to: 100 },
    { from: 100, to: 3 },
    { from: 5, to: 5 },
  ]) {
    for (const inOneStep of [true, false]) {
      const { shift, newest } = renumbering(heads, inOneStep);
      const name = JSON.stringify({ heads, inOneStep });
      assert.ok(shift > heads.to && shift > heads.from, name);
      assert.ok(newest >= heads.from + shift, name);
      // Number 0 belongs to a copy in Sent before the first event.
      assert.ok(0 + shift >= shift && heads.from < shift, name);
      if (!inOneStep) assert.ok(shift - heads.to > 100_000, `${name}: numbers stay free for other mail`);
    }
  }
});
