import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { Filling } from './drafts.ts';

const { searched, places } = limits.submissions;
const MiB = 1024 * 1024;
const long = 'x'.repeat(MiB);

/** Fills in a text repeatedly, and returns how often that was allowed. */
function times(text: string, tagCharacters = 0): number {
  const filling = new Filling();
  for (let count = 0; ; count += 1) {
    try {
      filling.fill(text, /(a)/g, () => 'b', tagCharacters);
    } catch (error) {
      assert.ok(error instanceof Invalid);
      return count;
    }
  }
}

test('places are filled in, and those without a value are left', () => {
  const values: Record<string, unknown> = { a: 1, b: null, c: {} };
  assert.equal(
    new Filling().fill('a b c d', /(\w)/g, (name) => values[name]),
    '1 b c d',
  );
});

test('the texts of a request are bounded together', () => {
  assert.equal(times(long), searched / MiB);
  assert.equal(times(long, 256), searched / MiB);
  assert.equal(times(long, 257), searched / MiB / 2);
  assert.equal(times('a'.repeat(1000)), places / 1000);
  assert.equal(times('a'.repeat(places + 1)), 0);
});
