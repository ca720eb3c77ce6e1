import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { test } from 'node:test';
import { addressOf } from './arrival.ts';

const proxies = new BlockList();
proxies.addSubnet('10.0.0.0', 8, 'ipv4');
proxies.addSubnet('fd00::', 8, 'ipv6');

const cases: [string, string, string, BlockList | null, string][] = [
  ['without proxies the peer it is', '192.0.2.1', '203.0.113.9', null, '192.0.2.1'],
  ['a stranger is not trusted', '192.0.2.1', '203.0.113.9', proxies, '192.0.2.1'],
  ['a trusted proxy is', '10.0.0.1', '203.0.113.9', proxies, '203.0.113.9'],
  ['only as far as proxies wrote it', '10.0.0.1', '1.1.1.1, 203.0.113.9, 10.0.0.2', proxies, '203.0.113.9'],
  ['a mapped peer is the same peer', '::ffff:10.0.0.1', '203.0.113.9', proxies, '203.0.113.9'],
  ['IPv6 proxies too', 'fd00::1', '2001:db8::9', proxies, '2001:db8::9'],
  ['nonsense ends the search', '10.0.0.1', '203.0.113.9, unknown', proxies, '10.0.0.1'],
  ['nobody was forwarded', '10.0.0.1', '', proxies, '10.0.0.1'],
  ['proxies all the way', '10.0.0.1', '10.0.0.3, 10.0.0.2', proxies, '10.0.0.3'],
];

for (const [name, peer, forwarded, trusted, expected] of cases) {
  test(`client address: ${name}`, () => assert.equal(addressOf(peer, forwarded, trusted), expected));
}
