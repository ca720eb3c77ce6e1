import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TooManyWaits } from '#core/errors.ts';
import { type Admission, createAdmission, createWaitSlots } from './slots.ts';

/** Takes a slot, and fails if none is free. */
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

test('a key has a tenth of the waits of its user, whatever another key holds', () => {
  let refused = 0;
  const enter = createWaitSlots(20, () => {
    refused += 1;
  });
  const wait = (keyId: number | null, count: number) =>
    Array.from({ length: count }, () => enter({ userId: 1, keyId }));
  const full = (keyId: number | null) => assert.throws(() => wait(keyId, 1), TooManyWaits);
  const [leave] = wait(7, 20);
  full(7);
  wait(8, 2);
  full(8);
  wait(null, 2);
  full(null);
  for (let keyId = 9; keyId < 17; keyId += 1) wait(keyId, 2);
  full(17);
  enter({ userId: 2, keyId: 18 });
  leave?.();
  wait(17, 1);
  assert.equal(refused, 4);
});
