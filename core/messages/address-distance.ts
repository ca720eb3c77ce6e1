import { splitTag } from '#core/accounts/address.ts';
import { addressKey } from './recipients.ts';

/** Maximum number of edits in a mistyped address, and maximum UTF-16 units to compare. */
const mostEdits = 3;
const mostCompared = 320;

/**
 * Difference between an address and the requested one: 0 none, 1 only the tag, 2 a few edits or only the domain, 3 the name within the
 * domain, 4 both name and domain.
 */
export type AddressDistance = 0 | 1 | 2 | 3 | 4;

/** Compares an address with the requested one. If the difference is below 3, the sender may have made a mistake. */
export function addressDistance(asked: string, other: string): AddressDistance {
  const [one, two] = [partsOf(asked), partsOf(other)];
  if (one.key === two.key) return 0;
  if (one.base === two.base && one.domain === two.domain) return 1;
  if (one.base === two.base || editsWithin(one.key, two.key)) return 2;
  return one.domain === two.domain ? 3 : 4;
}

function partsOf(address: string): { key: string; base: string; domain: string } {
  const key = addressKey(address.trim()).slice(0, mostCompared);
  const at = key.lastIndexOf('@');
  return { key, base: splitTag(key.slice(0, at)).base, domain: key.slice(at + 1) };
}

/**
 * Checks whether a few edits turn one string into the other. Takes linear time, because it computes only the cells around the diagonal of
 * Wagner and Fischer's matrix (Ukkonen 1985).
 */
function editsWithin(one: string, two: string): boolean {
  if (Math.abs(one.length - two.length) > mostEdits) return false;
  let above = new Map<number, number>();
  for (let column = 0; column <= mostEdits; column += 1) above.set(column, column);
  for (let row = 1; row <= one.length; row += 1) {
    const current = new Map<number, number>();
    const last = Math.min(two.length, row + mostEdits);
    for (let column = Math.max(0, row - mostEdits); column <= last; column += 1) {
      const same = column > 0 && one[row - 1] === two[column - 1];
      const cells = [
        (above.get(column - 1) ?? Number.POSITIVE_INFINITY) + (same ? 0 : 1),
        (above.get(column) ?? Number.POSITIVE_INFINITY) + 1,
        (current.get(column - 1) ?? Number.POSITIVE_INFINITY) + 1,
      ];
      // Bounded: three or four cells.
      current.set(column, Math.min(...cells));
    }
    above = current;
  }
  return (above.get(two.length) ?? Number.POSITIVE_INFINITY) <= mostEdits;
}
