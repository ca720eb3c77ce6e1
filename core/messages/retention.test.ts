import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Invalid } from '#core/errors.ts';
import { checkExpiry, isVisible, visibilityAt } from './retention.ts';

const now = new Date('2026-11-21T10:00:00Z');
const visibility = visibilityAt(now, 30);
const at = (days: number, ms = 0) => new Date(now.getTime() + days * 86_400_000 + ms);

/** Times of receipt and expiration, auto-delete, and visibility. */
const seen: [string, Date, Date | null, boolean, boolean][] = [
  ['a fresh message', at(0), null, true, true],
  ['one at the end of its window', at(-30), null, true, false],
  ['one a moment before it', at(-30, 1), null, true, true],
  ['one that expires this instant', at(-1), at(0), true, false],
  ['one that expires in a moment', at(-1), at(0, 1), true, true],
  ['an expiry that is not acted upon', at(-1), at(-1), false, true],
  ['but retention is', at(-31), at(-1), false, false],
];

for (const [name, receivedAt, expiresAt, autoDelete, visible] of seen) {
  test(`${name} is ${visible ? 'visible' : 'gone'}`, () => {
    assert.equal(isVisible({ receivedAt, expiresAt, autoDelete }, visibility), visible);
  });
}

/** Times of receipt and expiration, and whether the expiration is allowed. */
const expiries: [string, Date, Date | null, boolean][] = [
  ['none', at(0), null, true],
  ['a day ahead', at(0), at(1), true],
  ['now', at(0), at(0), false],
  ['past', at(-2), at(-1), false],
  ['the end of the window', at(-10), at(20), true],
  ['beyond the window', at(-10), at(20, 1), false],
];

for (const [name, receivedAt, expiresAt, allowed] of expiries) {
  test(`an expiry ${name} is ${allowed ? 'taken' : 'refused'}`, () => {
    const check = () => checkExpiry(expiresAt, receivedAt, visibility);
    if (allowed) check();
    else assert.throws(check, Invalid);
  });
}
