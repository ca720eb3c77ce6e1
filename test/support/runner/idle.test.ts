import assert from 'node:assert/strict';
import { cpus } from 'node:os';
import { test } from 'node:test';
import { placesWhileIdle } from './idle.ts';

test('places are added one by one while processors are idle, up to two, and taken away while they are busy', () => {
  const times = { idle: 0, all: 0 };
  const places = placesWhileIdle(
    () => 3,
    () => ({ ...times }),
  );
  const after = (seconds: number, idleShare: number) => {
    times.all += seconds * 1_000 * cpus().length;
    times.idle += seconds * 1_000 * cpus().length * idleShare;
    return places();
  };
  assert.equal(after(1, 1), 3, 'too early to tell');
  assert.deepEqual(
    [0.5, 0.2, 0.3, 0.9].map((share) => after(2, share)),
    [4, 4, 5, 5],
  );
  assert.deepEqual(
    [0.1, 0, 0.04, 0].map((share) => after(3, share)),
    [5, 4, 3, 3],
  );
});
