import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Admission, createAdmission } from './slots.ts';

/** Takes a place, and fails if none is free. */
function take(admission: Admission, address: string): () => void {
  const leave = admission.enter(address);
  if (typeof leave === 'string') throw new Error(`no place: ${leave}`);
  return leave;
}

test('limits the places of one address, and of all addresses together', () => {
  const admission = createAdmission(3, 2);
  const leave = take(admission, '192.0.2.1');
  take(admission, '192.0.2.1');
  assert.equal(admission.enter('192.0.2.1'), 'smtp.connectionsPerAddress');
  take(admission, '192.0.2.2');
  assert.equal(admission.enter('192.0.2.3'), 'smtp.connections');
  leave();
  take(admission, '192.0.2.3');
});

test('a place is freed once', () => {
  const admission = createAdmission(2, 2);
  const leave = take(admission, '192.0.2.1');
  leave();
  leave();
  take(admission, '192.0.2.1');
  take(admission, '192.0.2.1');
  assert.equal(admission.enter('192.0.2.2'), 'smtp.connections');
});
