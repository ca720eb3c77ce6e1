import type { Filter } from 'mongodb';
import type { MessageRow } from '#adapters/stores/mongo/schema/rows.ts';
import { sumOf, type TraitTest } from '#core/messages/traits.ts';

/** Letter for each bit of a message's traits (`core/messages/traits.ts`), in ascending order. */
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Spells traits with the letters of their set bits. MongoDB matches a pattern with index entries, but a number's bits only with rows. */
export function traitLetters(traits: number): string {
  return [...letters].filter((_, bit) => Math.floor(traits / 2 ** bit) % 2 === 1).join('');
}

export function traitsIn(spelled: string): number {
  return sumOf([...spelled].map((letter) => letters.indexOf(letter)));
}

/** Condition for a test on a row's letters, or for the test's opposite. */
export function traitPattern(test: TraitTest, opposite = false): Filter<MessageRow> {
  const pattern = patternOf(test);
  return { traits: { $regex: opposite ? `^(?!${pattern})` : `^${pattern}` } };
}

/**
 * Condition that at least one of several tests passes. A single pattern takes less time than multiple conditions, and is matched with
 * index entries.
 */
export function anyTraitPattern(tests: TraitTest[]): Filter<MessageRow> {
  return { traits: { $regex: `^(?:${tests.map(patternOf).join('|')})` } };
}

function patternOf({ set, clear }: TraitTest): string {
  const letter = (bit: number) => letters.charAt(bit);
  const without = clear.length === 0 ? '' : `(?!.*[${clear.map(letter).join('')}])`;
  const wanted = set.toSorted((a, b) => a - b).map((bit) => `[^${letter(bit)}]*${letter(bit)}`);
  return `${without}${wanted.join('')}`;
}
