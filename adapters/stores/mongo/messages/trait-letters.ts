import type { Filter } from 'mongodb';
import type { MessageRow } from '#adapters/stores/mongo/schema/rows.ts';
import { sumOf, type TraitTest } from '#core/messages/traits.ts';

/** Letter of each bit of the traits of a message (`core/messages/traits.ts`), in ascending order. */
const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/**
 * Spells traits by the letters of the bits that are set. MongoDB compares a pattern with index entries, and bits of a number only
 * with rows.
 */
export function traitLetters(traits: number): string {
  return [...letters].filter((_, bit) => Math.floor(traits / 2 ** bit) % 2 === 1).join('');
}

export function traitsIn(spelled: string): number {
  return sumOf([...spelled].map((letter) => letters.indexOf(letter)));
}

/** Condition of a test on the letters of a row, or of its opposite. */
export function traitPattern(test: TraitTest, opposite = false): Filter<MessageRow> {
  const pattern = patternOf(test);
  return { traits: { $regex: opposite ? `^(?!${pattern})` : `^${pattern}` } };
}

/** Condition that one of some tests passes. One pattern takes less time than as many conditions, and is compared with index entries. */
export function anyTraitPattern(tests: TraitTest[]): Filter<MessageRow> {
  return { traits: { $regex: `^(?:${tests.map(patternOf).join('|')})` } };
}

function patternOf({ set, clear }: TraitTest): string {
  const letter = (bit: number) => letters.charAt(bit);
  const without = clear.length === 0 ? '' : `(?!.*[${clear.map(letter).join('')}])`;
  const wanted = set.toSorted((a, b) => a - b).map((bit) => `[^${letter(bit)}]*${letter(bit)}`);
  return `${without}${wanted.join('')}`;
}
