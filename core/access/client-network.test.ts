import assert from 'node:assert/strict';
import { test } from 'node:test';
import { clientNetwork } from './client-network.ts';

const cases: [string, string][] = [
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['::FFFF:c000:201', '192.0.2.1'],
  ['0:0:0:0:0:ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:0DB8:0001:0002:ffff::', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['2001:db8::ffff:1:2', '2001:db8:0:0::/64'],
  ['::1:0:ffff:1:2', '0:0:0:1::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', ''],
  ['unknown', 'unknown'],
];

for (const [address, network] of cases) {
  test(`the network of ${address || 'no address'} is ${network || 'none'}`, () =>
    assert.equal(clientNetwork(address), network));
}
