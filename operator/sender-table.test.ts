import assert from 'node:assert/strict';
import { test } from 'node:test';
import { changedKeys } from './runtime/resource.ts';
import { nameOf, type Pod, partsOf, tableOf } from './sender-table.ts';

type Words = {
  ip?: string;
  ips?: string[];
  node?: string;
  phase?: string;
  hostNetwork?: boolean;
  isDeleted?: boolean;
};

function pod(name: string, words: Words = {}): Pod {
  const { ip = '10.0.0.1', ips = [ip], node = '192.0.2.1', phase = 'Running', hostNetwork = false } = words;
  return {
    ...{ apiVersion: 'v1', kind: 'Pod', spec: { hostNetwork } },
    metadata: {
      ...{ namespace: 'shop', name, uid: name, resourceVersion: '1', generation: 1 },
      ...(words.isDeleted && { deletionTimestamp: '2026-11-27T00:00:00Z' }),
    },
    status: { phase, podIPs: ips.map((one) => ({ ip: one })), hostIPs: [{ ip: node }] },
  };
}

const cases: [string, Pod[], { [address: string]: string }][] = [
  ['a Pod', [pod('a')], { '10.0.0.1': 'a' }],
  ['a Pod that has not begun', [pod('a', { phase: 'Pending' })], { '10.0.0.1': 'a' }],
  ['a Pod without an address', [pod('a', { ips: [] })], {}],
  [
    'a Pod of two families',
    [pod('a', { ips: ['10.0.0.1', 'fd00::1'] })],
    { '10.0.0.1': 'a', 'fd00::1': 'a' },
  ],
  ['a Pod on the network of its node', [pod('a', { ip: '192.0.2.1', hostNetwork: true })], {}],
  [
    'a Pod with the address of a node',
    [pod('a', { ip: '192.0.2.9' }), pod('b', { ip: '10.0.0.2', node: '192.0.2.9' })],
    { '10.0.0.2': 'b' },
  ],
  ['a Pod that succeeded', [pod('a', { phase: 'Succeeded' })], {}],
  ['a Pod that failed', [pod('a', { phase: 'Failed' })], {}],
  ['a Pod that is being deleted', [pod('a', { isDeleted: true })], {}],
  [
    'a later Pod with the address of one that is being deleted',
    [pod('a', { isDeleted: true }), pod('b')],
    { '10.0.0.1': 'b' },
  ],
  ['two Pods that claim an address', [pod('a'), pod('b'), pod('c', { ip: '10.0.0.3' })], { '10.0.0.3': 'c' }],
  ['three Pods that claim an address', [pod('a'), pod('b'), pod('c')], {}],
  ['a Pod whose workload is not known yet', [pod('unknown')], {}],
];

for (const [title, pods, wanted] of cases)
  test(`${title}: ${Object.keys(wanted).length} addresses`, () => {
    const table = tableOf(pods, ({ metadata }) => (metadata.name === 'unknown' ? undefined : null));
    const named = [...table].map(([address, sender]) => [address, sender.pod]);
    assert.deepEqual(Object.fromEntries(named), wanted);
  });

test('tables differ where a Pod comes, goes or is another', () => {
  const of = (names: { [address: string]: string }) => {
    const pods = Object.entries(names).map(([ip, name]) => pod(name, { ip }));
    return tableOf(pods, () => 'Job/x');
  };
  const [before, after] = [of({ a: '1', b: '2', c: '3' }), of({ b: '2', c: '4', d: '5' })];
  assert.deepEqual(changedKeys(before, after).sort(), ['a', 'c', 'd']);
  assert.deepEqual(changedKeys(before, before), []);
  assert.deepEqual(
    changedKeys(
      before,
      tableOf([pod('2', { ip: 'b' })], () => 'Job/y'),
    ).sort(),
    ['a', 'b', 'c'],
  );
});

test('a ReplicaSet of a Deployment has the name of the Deployment', () => {
  const one = pod('a');
  const labelled: Pod = { ...one, metadata: { ...one.metadata, labels: { 'pod-template-hash': '5d9' } } };
  const owner = (kind: string, name: string) => ({ kind, name, uid: '1', controller: true });
  assert.equal(nameOf(owner('ReplicaSet', 'web-5d9'), labelled), 'Deployment/web');
  assert.equal(nameOf(owner('ReplicaSet', 'web-5d9'), one), 'ReplicaSet/web-5d9');
  assert.equal(nameOf(owner('ReplicaSet', 'web-5d8'), labelled), 'ReplicaSet/web-5d8');
  assert.equal(nameOf(owner('StatefulSet', 'db-5d9'), labelled), 'StatefulSet/db-5d9');
});

test('of a bookmark, which is a Pod without parts, the version is kept', () => {
  const bookmark = { metadata: { resourceVersion: '7' } } as unknown as Pod;
  assert.equal(partsOf(bookmark).metadata.resourceVersion, '7');
});
