import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NotFound, Overloaded, TooMany, TooManyWaits } from '#core/errors.ts';
import { repeated } from './repeated.ts';

const { signal } = new AbortController();

test('a refusal for being one of many is repeated with the time that is left, anything else is not', async () => {
  const faults = [new TooMany('full', 1), new TooManyWaits('full', 1), null];
  const times: number[] = [];
  const done = await repeated(60_000, signal, async (leftMs) => {
    times.push(leftMs);
    const fault = faults.shift();
    if (fault) throw fault;
    return 'done';
  });
  assert.equal(done, 'done');
  assert.deepEqual(
    times,
    times.toSorted((a, b) => b - a),
  );
  assert.equal(new Set(times).size, 3);
  let tries = 0;
  const missing = repeated(60_000, signal, async () => {
    tries += 1;
    throw new NotFound();
  });
  await assert.rejects(missing, NotFound);
  assert.equal(tries, 1);
});

test('a refusal is told once the time is over, and at once where the client has left', async () => {
  const busy = (leftMs: number) => Promise.reject(new Overloaded(`busy ${leftMs > 0}`));
  await assert.rejects(repeated(0, signal, busy), /busy false/);
  await assert.rejects(repeated(999, signal, busy), /busy true/);
  await assert.rejects(repeated(60_000, AbortSignal.abort(), busy), /busy/);
});
