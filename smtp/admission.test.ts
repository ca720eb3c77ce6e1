import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createAdmission } from './admission.ts';

test('an address has so many places, all addresses together so many', () => {
  const admission = createAdmission(3, 2);
  const first = admission.enter('192.0.2.1');
  assert.ok(first);
  assert.ok(admission.enter('192.0.2.1'));
  assert.equal(admission.enter('192.0.2.1'), null);
  assert.ok(admission.enter('192.0.2.2'));
  assert.equal(admission.enter('192.0.2.3'), null);
  first();
  assert.ok(admission.enter('192.0.2.3'));
});

test('a place is freed once', () => {
  const admission = createAdmission(2, 2);
  const leave = admission.enter('192.0.2.1');
  leave?.();
  leave?.();
  assert.ok(admission.enter('192.0.2.1'));
  assert.ok(admission.enter('192.0.2.1'));
  assert.equal(admission.enter('192.0.2.2'), null);
});
