import { domainToASCII } from 'node:url';

/**
 * The name as it is stored and compared: lower case, IDNA A-labels, no trailing dot. Null where it is no name of at
 * least two labels (RFC 1035 section 2.3.4: 63 octets a label, 253 in all; RFC 5890 for the letters).
 */
export function parseDomainName(text: string): string | null {
  const given = text.trim().replace(/\.$/, '');
  // domainToASCII reads its argument as the host of a URL and would cut a path or a port off.
  if (!/^[\p{L}\p{M}\p{N}._-]+$/u.test(given)) return null;
  const name = domainToASCII(given).toLowerCase();
  const labels = name.split('.');
  const wellFormed = labels.every((label) => /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/.test(label));
  // A name of digits alone at its end would be an IP address in disguise.
  const isAddress = /^[0-9]+$/.test(labels.at(-1) ?? '');
  return wellFormed && labels.length >= 2 && name.length <= 253 && !isAddress ? name : null;
}
