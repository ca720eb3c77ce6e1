import { BlockList } from 'node:net';
import ipaddr from 'ipaddr.js';

/** Addresses that may be requested: all public ones if `isPublic` is set, and those in `networks`. */
export type Reach = { isPublic: boolean; networks: BlockList };

/** IPv6 block that contains all global unicast addresses that IANA has allocated (RFC 4291 section 2.4). */
const globalUnicast = new BlockList();
globalUnicast.addSubnet('2000::', 3, 'ipv6');

/** Public addresses at which a cloud answers only its own machines: Azure's. */
const ofClouds = new Set(['168.63.129.16']);

/**
 * Checks whether an IP address may be requested. An address is public if no IANA registry assigns it another use: ranges whose addresses
 * contain an IPv4 address (mapped, NAT64, 6to4, Teredo) are never public, whatever that IPv4 address is.
 */
export function mayReach({ isPublic, networks }: Reach, address: string): boolean {
  const parsed = ipaddr.parse(address);
  const kind = parsed.kind();
  if (networks.check(address, kind)) return true;
  if (!isPublic || parsed.range() !== 'unicast' || ofClouds.has(address)) return false;
  return kind === 'ipv4' || globalUnicast.check(address, kind);
}
