import { isIP } from 'node:net';

/**
 * Returns the network that counts as one client: a single IPv4 address or an IPv6 /64, because one client usually has a whole /64 (RFC
 * 6177). An IPv4-mapped address (RFC 4291 section 2.5.5.2) counts as IPv4.
 */
export function clientNetwork(address: string): string {
  const [plain = ''] = address.split('%');
  if (isIP(plain) !== 6) return plain;
  const groups = groupsOf(plain);
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff;
  if (isMapped) {
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 0xff])
      .join('.');
  }
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`;
}

/** Returns an IPv6 address's eight groups. The URL parser writes the last 32 bits in hexadecimal, too (RFC 5952). */
function groupsOf(address: string): number[] {
  const [left = '', right] = new URL(`http://[${address}]`).hostname.slice(1, -1).split('::');
  const head = left === '' ? [] : left.split(':');
  const tail = right === undefined || right === '' ? [] : right.split(':');
  const zeros = new Array<string>(8 - head.length - tail.length).fill('0');
  return [...head, ...zeros, ...tail].map((group) => Number.parseInt(group, 16));
}
