import assert from 'node:assert/strict';
import { test } from 'node:test';
import { formatPasswordHash, parsePasswordHash } from './password-hash.ts';

const hash = (cost: string) =>
  `$argon2id$v=19$${cost}$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4`;

const cases: [cost: string, isTaken: boolean][] = [
  ['m=19456,t=2,p=1', true],
  ['m=256,t=2,p=1', true],
  ['m=8,t=1,p=1', true],
  ['m=7,t=1,p=1', false],
  ['m=19457,t=2,p=1', false],
  ['m=9999999,t=2,p=1', false],
  ['m=19456,t=3,p=1', false],
  ['m=19456,t=99,p=1', false],
  ['m=19456,t=0,p=1', false],
  ['m=19456,t=2,p=0', false],
  ['m=19456,t=2,p=2', false],
];
for (const [cost, isTaken] of cases) {
  test(`a hash with ${cost} is ${isTaken ? 'taken' : 'refused'}`, () => {
    const parsed = parsePasswordHash(hash(cost));
    assert.equal(parsed && formatPasswordHash(parsed), isTaken ? hash(cost) : null);
  });
}
