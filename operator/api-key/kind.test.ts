import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Account, AccountStore } from '#core/accounts/account.ts';
import { addressOf } from './kind.ts';

type Known = Pick<Account, 'address' | 'managedBy'>;

/** Store that has these accounts, oldest first. */
function storeOf(known: Known[], capture: string | null): Pick<AccountStore, 'list' | 'findCapture'> {
  const list = async (_owner: number, _filter: object, { page, limit }: { page: number; limit: number }) => ({
    items: known.slice((page - 1) * limit, page * limit),
    total: known.length,
  });
  return { list: list as AccountStore['list'], findCapture: async () => capture };
}

const inbox = { address: 'inbox-1@app.test', managedBy: 'qa/i/Inbox' };
const wildcard = { address: '*@app.test', managedBy: null };
const made = { address: 'made@app.test', managedBy: 'qa/a' };
const byHand = { address: 'hand@app.test', managedBy: null };
const many = (one: Known, count: number) => Array.from({ length: count }, () => one);

/** Accounts, the capture account and the address. */
const cases: [string, Known[], string | null, string | null][] = [
  ['no account', [], null, null],
  ['the oldest of two', [byHand, made], null, byHand.address],
  ['the capture account', [byHand], 'capture@app.test', 'capture@app.test'],
  ['a wildcard that captures', [wildcard, made], wildcard.address, made.address],
  ['an account younger than an Inbox', [inbox, made], null, made.address],
  ['an account younger than 50 Inboxes', [...many(inbox, 50), made], null, made.address],
  ['an account younger than 120 Inboxes', [...many(inbox, 120), made], null, made.address],
  ['Inboxes alone', many(inbox, 100), null, null],
];
for (const [name, known, capture, wanted] of cases) {
  test(`{{address}}: ${name}`, async () => {
    assert.equal(await addressOf(storeOf(known, capture), 1), wanted);
  });
}
