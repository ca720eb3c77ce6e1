import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Services } from '#setup/services.ts';
import { affectedBy, createKinds, kindNamed } from './kinds.ts';
import { listManagedObjects } from './managed-objects.ts';
import type { Resource } from './runtime/resource.ts';
import type { Secrets } from './secrets.ts';

const kinds = createKinds({ config: {} } as Services, {} as Secrets);

function resource(kind: string, name: string, spec: object, ready = false): Resource {
  const condition = { type: 'Ready', status: 'True', reason: 'x', message: 'x', lastTransitionTime: 'x' };
  return {
    apiVersion: 'sandpost.dev/v1alpha1',
    kind,
    metadata: { namespace: 'qa', name, uid: name, resourceVersion: '1', generation: 1 },
    spec,
    status: ready ? { conditions: [{ ...condition, status: 'True' }] } : {},
  };
}

test('an unknown kind is an error', () => {
  assert.throws(() => kindNamed(kinds, 'Widget'), /unknown kind Widget/);
});

const domain = resource('Domain', 'd', { domain: 'app.test' });
const account = resource('Account', 'a', { address: 'QA@App.test' });
const apiKey = resource('ApiKey', 'k', {});
const member = resource('Member', 'm', { email: 'ada@app.test', role: 'member' });

/** Resource, its object's name in the store, and mail domain. */
const names: [Resource, string | null, string | null][] = [
  [domain, 'app.test', 'app.test'],
  [account, 'qa@app.test', 'App.test'],
  [resource('Account', 'all', { address: '*@app.test' }), '*@app.test', 'app.test'],
  [apiKey, null, null],
  [member, null, null],
  [resource('Inbox', 'i', { domain: 'app.test', addressPrefix: 'Ci' }), 'ci-a7bc808291a357b0cedbc71f', null],
];
for (const [one, name, mailDomain] of names) {
  test(`${one.kind} ${JSON.stringify(one.spec)} stands for ${name}`, () => {
    const kind = kindNamed(kinds, one.kind);
    assert.deepEqual([kind.nameOf(one), kind.domainOf(one)], [name, mailDomain]);
  });
}

test('a kind refuses resources of other kinds', () => {
  assert.throws(() => kindNamed(kinds, 'Domain').nameOf(account), /Account is not Domain/);
});

test('a change affects resources of other kinds on its domain, and those of its own kind that are not ready', () => {
  const all = [
    resource('Domain', 'ready domain', { domain: 'app.test' }, true),
    resource('Domain', 'domain', { domain: 'app.test' }),
    resource('Domain', 'other domain', { domain: 'other.test' }),
    resource('Account', 'ready account', { address: 'a@app.test' }, true),
    resource('Account', 'account', { address: 'b@app.test' }),
    resource('Account', 'account below', { address: 'b@sub.app.test' }),
    apiKey,
    member,
  ];
  const affected = (changed: Resource) =>
    affectedBy(kinds, changed, all).map(({ metadata }) => metadata.name);
  assert.deepEqual(affected(domain), ['domain', 'ready account', 'account']);
  const changed = resource('Account', 'x', { address: 'x@app.test' });
  assert.deepEqual(affected(changed), ['ready domain', 'domain', 'account']);
  assert.deepEqual(affected(apiKey), []);
});

test('an object is managed by the resource of its manager and its name', async () => {
  const stored = { owner: 1, id: 7, name: 'app.test', managedBy: 'qa/d' };
  const managers = ['qa/i', 'qa/i/Inbox'];
  const address = 'ci-a7bc808291a357b0cedbc71f@app.test';
  const values = {
    managedDomains: [stored, { ...stored, owner: 2 }],
    managedAccounts: managers.map((managedBy, at) => ({ owner: 1, id: 20 + at, managedBy, address })),
    managedKeys: managers.map((managedBy, at) => ({ owner: 1, id: 30 + at, managedBy, name: 'other' })),
    memberRules: [
      { id: 9, team: 1, source: 'qa/m' },
      { id: 10, team: 2, source: 'qb/m' },
    ],
  };
  const services = {
    config: {},
    rows: { read: async (name: keyof typeof values) => values[name] },
  };
  const own = createKinds(services as unknown as Services, {} as Secrets);
  const objects = await listManagedObjects(own, [{ namespace: 'qa', owner: 1, cluster: null }]);
  assert.deepEqual(
    objects.map(({ owner, kind, id }) => [owner, kind, id]),
    [
      [1, 'domain', 7],
      [1, 'account', 20],
      [1, 'api-key', 30],
      [1, 'member', 9],
      [1, 'account', 21],
      [1, 'api-key', 31],
    ],
  );
  const retained = objects.map(({ mayBeRetained }) => mayBeRetained);
  assert.deepEqual(retained, [true, true, true, true, false, false]);
  const isManagedBy = (one: Resource | null) => objects[0]?.isManagedBy(one);
  assert.equal(isManagedBy(domain), true);
  assert.equal(isManagedBy(null), false);
  assert.equal(isManagedBy(resource('Domain', 'd', { domain: 'other.test' })), false);
  assert.equal(isManagedBy(resource('Domain', 'e', { domain: 'app.test' })), false);
  assert.equal(isManagedBy(resource('Account', 'd', { address: 'qa@app.test' })), false);
  assert.equal(objects[3]?.isManagedBy(member), true);
  assert.equal(objects[3]?.isManagedBy(resource('Member', 'n', { group: 'devs' })), false);
  // An earlier Inbox with the same name created the key.
  const inbox = resource('Inbox', 'i', { domain: 'app.test', addressPrefix: 'ci' });
  assert.deepEqual(
    objects.slice(4).map((object) => object.isManagedBy(inbox)),
    [true, false],
  );
  const namesake = resource('Account', 'i', { address: 'ci-a7bc808291a357b0cedbc71f@app.test' });
  assert.deepEqual(
    objects.map((object) => object.isManagedBy(namesake)),
    [false, true, false, false, false, false],
  );
});
