import { parseLooseAddress, spellLocal, splitTag } from '#core/accounts/address.ts';
import type { Message } from './message.ts';

/** Normal form for comparing envelope addresses: lower case, the domain in A-labels. */
export function addressKey(address: string): string {
  // Most addresses are in this form. A complete check of one takes longer than the rest of its search.
  if (/^[a-z0-9+_.-]+@[a-z0-9.-]*[a-z0-9]$/.test(address) && !address.includes('xn--')) return address;
  return parseLooseAddress(address)?.address ?? address.normalize('NFC').toLowerCase();
}

/**
 * Returns the recipients that a stored message is the account's copy for: envelope recipients that differ from `deliveredTo` only
 * in the tag. Empty for a copy in Sent.
 */
export function recipientsOf({
  copy,
  deliveredTo,
  envelope,
}: Pick<Message, 'copy' | 'deliveredTo' | 'envelope'>): string[] {
  if (copy) return [];
  const reached = untagged(deliveredTo);
  return [...new Set([deliveredTo, ...envelope.rcptTo.filter((address) => untagged(address) === reached)])];
}

function untagged(text: string): string {
  const address = parseLooseAddress(text);
  if (address === null) return addressKey(text);
  return `${spellLocal(splitTag(address.local).base)}@${address.domain}`;
}
