import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import { KnownPasswords } from './known-passwords.ts';

test('a password is known with its hash alone, for a minute', () => {
  let now = 0;
  const known = new KnownPasswords(() => now);
  assert.equal(known.has('hash', 'secret'), false);
  known.add('hash', 'secret');
  now = limits.access.knownPasswordMs - 1;
  assert.equal(known.has('hash', 'secret'), true);
  assert.equal(known.has('other', 'secret'), false);
  assert.equal(known.has('hash', 'Secret'), false);
  assert.equal(new KnownPasswords(() => now).has('hash', 'secret'), false);
  now += 1;
  assert.equal(known.has('hash', 'secret'), false);
});

test('a password that is right again is known longer', () => {
  let now = 0;
  const known = new KnownPasswords(() => now);
  known.add('hash', 'secret');
  now = 40_000;
  known.add('hash', 'secret');
  now = 99_999;
  assert.equal(known.has('hash', 'secret'), true);
});

test('the oldest of too many is forgotten', () => {
  const known = new KnownPasswords(() => 0);
  for (let count = 0; count <= limits.access.knownPasswords; count += 1) known.add('hash', String(count));
  assert.equal(known.has('hash', '0'), false);
  assert.equal(known.has('hash', '1'), true);
});
