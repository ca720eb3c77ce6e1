import assert from 'node:assert/strict';
import { BlockList } from 'node:net';
import { test } from 'node:test';
import { mayReach } from './link-checker.ts';

const none = new BlockList();
const inside = new BlockList();
inside.addSubnet('10.1.0.0', 16, 'ipv4');
inside.addSubnet('fd00:1::', 32, 'ipv6');

const open = ['8.8.8.8', '93.184.215.14', '172.15.255.255', '172.32.0.1', '2606:4700::1111', '2a00:1450::1'];
for (const address of open) {
  test(`${address} is public`, () => {
    assert.equal(mayReach({ isPublic: true, networks: none }, address), true);
    assert.equal(mayReach({ isPublic: false, networks: inside }, address), false);
  });
}

const closed: [address: string, what: string][] = [
  ['0.0.0.0', 'this host'],
  ['0.1.2.3', 'this network'],
  ['10.0.0.1', 'private'],
  ['100.64.0.1', 'carrier-grade NAT'],
  ['100.100.100.200', 'metadata of Alibaba'],
  ['127.0.0.1', 'loopback'],
  ['127.255.255.254', 'loopback'],
  ['169.254.169.254', 'metadata of most clouds'],
  ['172.16.0.1', 'private'],
  ['172.31.255.255', 'private'],
  ['192.0.0.192', 'metadata of Oracle'],
  ['192.0.2.1', 'documentation'],
  ['192.88.99.1', '6to4 relay'],
  ['192.168.1.1', 'private'],
  ['168.63.129.16', 'Azure, for its own machines'],
  ['198.18.0.1', 'benchmarks'],
  ['198.51.100.1', 'documentation'],
  ['203.0.113.1', 'documentation'],
  ['224.0.0.1', 'multicast'],
  ['240.0.0.1', 'reserved'],
  ['255.255.255.255', 'broadcast'],
  ['::', 'this host'],
  ['::1', 'loopback'],
  ['::127.0.0.1', 'IPv4-compatible'],
  ['::ffff:10', 'IPv4-compatible'],
  ['4000::1', 'not given by IANA'],
  ['::ffff:127.0.0.1', 'IPv4-mapped'],
  ['::ffff:8.8.8.8', 'IPv4-mapped'],
  ['::ffff:0:8.8.8.8', 'IPv4-translated'],
  ['64:ff9b::a00:1', 'NAT64 of 10.0.0.1'],
  ['64:ff9b:1::1', 'local NAT64'],
  ['100::1', 'discard'],
  ['2001::1', 'Teredo'],
  ['2001:db8::1', 'documentation'],
  ['2002:a00:1::', '6to4 of 10.0.0.1'],
  ['fc00::1', 'unique local'],
  ['fd00:ec2::254', 'metadata of AWS'],
  ['fe80::1', 'link-local'],
  ['fec0::1', 'site-local'],
  ['ff02::1', 'multicast'],
];
for (const [address, what] of closed) {
  test(`${address} is not public: ${what}`, () =>
    assert.equal(mayReach({ isPublic: true, networks: none }, address), false));
}

test('networks of the settings may be reached, and no other', () => {
  for (const [address, may] of [
    ['10.1.2.3', true],
    ['10.2.0.1', false],
    ['fd00:1::7', true],
    ['fd00:2::7', false],
    ['::ffff:10.2.0.1', false],
    ['8.8.8.8', false],
  ] as const) {
    assert.equal(mayReach({ isPublic: false, networks: inside }, address), may, address);
  }
});
