import { BlockList, isIP } from 'node:net';

const networks = new BlockList();
networks.addSubnet('127.0.0.0', 8);
networks.addAddress('::1', 'ipv6');

/** Returns true if an address belongs to the machine itself (RFC 1122 section 3.2.1.3, RFC 4291 section 2.5.3). */
export function isLoopback(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && networks.check(address, family === 6 ? 'ipv6' : 'ipv4');
}

/**
 * Suffixes that do not exist in the public DNS (RFC 6761, RFC 6762, RFC 8375, ICANN's `internal`, and Kubernetes's `svc`). Nobody can
 * register names under them.
 */
const privateNames = /(?:^|\.)(?:localhost|test|local|internal|svc|home\.arpa)$/;

/**
 * Returns true if a URL's host is an address, or a name that a stranger cannot make resolve on this network: `mailpit`, `mailpit.local`.
 */
export function isPrivateHost(host: string): boolean {
  const name = host.toLowerCase();
  return isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0 || !name.includes('.') || privateNames.test(name);
}

/** Returns true if a URL's host, without its port, is a name or address of the machine itself (RFC 6761 section 6.3). */
export function isLoopbackHost(host: string): boolean {
  const name = host.toLowerCase();
  return name === 'localhost' || name.endsWith('.localhost') || isLoopback(name.replace(/^\[(.*)\]$/, '$1'));
}
