import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { sumOf } from '#core/messages/traits.ts';
import { traitLetters, traitPattern, traitsIn } from './trait-letters.ts';

const bits = fc.uniqueArray(fc.nat(51), { maxLength: 12 });

test('letters spell traits, and patterns find what tests ask for', () => {
  fc.assert(
    fc.property(bits, bits, bits, (own, set, clear) => {
      const spelled = traitLetters(sumOf(own));
      assert.equal(traitsIn(spelled), sumOf(own));
      const passes = set.every((bit) => own.includes(bit)) && !clear.some((bit) => own.includes(bit));
      for (const opposite of [false, true]) {
        const { $regex } = traitPattern({ set, clear, exact: true }, opposite).traits as { $regex: string };
        assert.equal(new RegExp($regex).test(spelled), passes !== opposite, $regex);
      }
    }),
    { numRuns: 1000 },
  );
});
