import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { type ApiServer, startApiServer } from '#test/support/kubernetes/api-server.ts';
import {
  account,
  apiKey,
  domain,
  inbox,
  mailExpectation,
  member,
  namespace,
} from '#test/support/kubernetes/custom-resources.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';

/** API server's validation and defaults, without an operator. */
suite('custom resources', { skip: noKubernetes }, () => {
  let server: ApiServer;
  before(async () => {
    server = await startApiServer();
    await server.kubectl.apply(namespace('qa'));
  });
  after(() => server[Symbol.asyncDispose]());

  const refused: [object, RegExp][] = [
    [domain('qa', 'd', { domain: 'localhost' }), /spec\.domain: .*at least two labels, such as app\.test/],
    [domain('qa', 'd', { domain: 'App.test' }), /spec\.domain: .*lowercase domain name/],
    [domain('qa', 'd', { domain: 'app..test' }), /spec\.domain: .*at least two labels/],
    [domain('qa', 'd', { domain: '-app.test' }), /spec\.domain: .*domain name/],
    [domain('qa', 'd', { domain: '10.0.0.1' }), /spec\.domain: .*IP address/],
    [domain('qa', 'd', { domain: 'app.0x1f' }), /spec\.domain: .*IP address/],
    [domain('qa', 'd', { domain: `${'a'.repeat(64)}.test` }), /spec\.domain: .*domain name/],
    [domain('qa', 'd', {}), /spec\.domain: Required value/],
    [domain('qa', 'd', { domain: 'a.test', active: 'yes' }), /spec\.active: .*type boolean/],
    [domain('qa', 'd', { domain: 'a.test', assumedClientIP: 'shop.example' }), /spec\.assumedClientIP: /],
    [domain('qa', 'd', { domain: 'a.test', assumedClientIP: '::::' }), /spec\.assumedClientIP: .*IP address/],
    [
      domain('qa', 'd', { domain: 'a.test', assumedClientIP: '999.1.1.1' }),
      /spec\.assumedClientIP: .*such as/,
    ],
    [
      domain('qa', 'd', { domain: 'a.test', deletionPolicy: 'Keep' }),
      /spec\.deletionPolicy: .*"Delete", "Retain"/,
    ],
    [account('qa', 'a', { address: 'q@a.test', deletionPolicy: '' }), /spec\.deletionPolicy: .*"Delete"/],
    [domain('qa', 'd', { domain: 'a.test', owner: 'x' }), /unknown field "spec\.owner"/],
    [account('qa', 'a', { address: 'qa' }), /spec\.address: /],
    [
      account('qa', 'a', { address: 'QA@app.test' }),
      /spec\.address: .*lowercase address, such as qa@app\.test/,
    ],
    // KELVIN SIGN, whose lowercase letter is k.
    [account('qa', 'a', { address: '\u212a@app.test' }), /spec\.address: .*lowercase address/],
    [account('qa', 'a', { address: '\u00dcber@app.test' }), /spec\.address: .*lowercase address/],
    [account('qa', 'a', { address: 'q a@app.test' }), /spec\.address: .*one lowercase address/],
    [account('qa', 'a', { address: 'a@b@app.test' }), /spec\.address: .*one lowercase address/],
    [account('qa', 'a', { address: '.qa@app.test' }), /spec\.address: .*dot at either end/],
    [account('qa', 'a', { address: 'q..a@app.test' }), /spec\.address: .*two dots in a row/],
    [account('qa', 'a', { address: 'qa@localhost' }), /spec\.address: .*at least two labels/],
    [account('qa', 'a', { address: 'qa@app.0x1f' }), /spec\.address: .*IP address/],
    [account('qa', 'a', { address: `${'a'.repeat(65)}@app.test` }), /spec\.address: .*one lowercase address/],
    [account('qa', 'a', { address: '*@app.test', catchAll: false }), /spec: .*leave catchAll out/],
    [account('qa', 'a', { address: 'qa@app.test', storageLimit: 'much' }), /spec\.storageLimit: /],
    [account('qa', 'a', { address: 'qa@app.test', storageLimit: -1 }), /spec\.storageLimit: .*whole number/],
    [account('qa', 'a', { address: 'qa@app.test', storageLimit: '99999P' }), /spec\.storageLimit: .*9007199/],
    [account('qa', 'a', { address: 'qa@app.test', storageLimit: 1.5 }), /spec\.storageLimit: /],
    ...['Not A Name', 'a..b', 'a.-b', 'a-.b', '.a', 'a.'].map((secretName): [object, RegExp] => [
      apiKey('qa', 'k', { secretName }),
      /spec\.secretName: .*name of a Secret/,
    ]),
    ...['a\nb', 'a\u0000', 'a\u202eb', 'a\u2028b', 'a\u200fb'].flatMap((text): [object, RegExp][] => [
      [apiKey('qa', 'k', { displayName: text }), /spec\.displayName: .*must not contain control characters/],
      [member('qa', 'm', { group: text }), /spec\.group: .*must not contain control characters/],
    ]),
    ...['a b', '.a', '', 'a/b', 'x'.repeat(254)].map((name): [object, RegExp] => [
      apiKey('qa', 'k', { template: { [name]: 'x' } }),
      /spec\.template: .*names must be valid keys of a Secret/,
    ]),
    ...['SANDPOST_URL', 'uri'].map((name): [object, RegExp] => [
      apiKey('qa', 'k', { template: { [name]: 'x' } }),
      /spec\.template: .*cannot replace entries/,
    ]),
    [apiKey('qa', 'k', { template: { A: 'x'.repeat(1025) } }), /spec\.template\.A: .*1024/],
    [apiKey('qa', 'k', { template: { A: 1 } }), /spec\.template\.A: .*string/],
    [
      apiKey('qa', 'k', { template: Object.fromEntries([...Array(33).keys()].map((at) => [`A${at}`, ''])) }),
      /spec\.template: .*32/,
    ],
    [apiKey('qa', 'k', { scope: 'write' }), /spec\.scope: .*"full", "read", "send"/],
    ...['tomorrow', '2027-01-01', '2027-02-30T00:00:00Z', '2027-01-01T23:59:60Z'].map(
      (expiresAt): [object, RegExp] => [apiKey('qa', 'k', { expiresAt }), /spec\.expiresAt: /],
    ),
    [member('qa', 'm', {}), /spec: .*must have either email or group/],
    [member('qa', 'm', { email: 'a@app.test', group: 'devs' }), /spec: .*must have either email or group/],
    [member('qa', 'm', { email: 'a@app.test', role: 'admin' }), /spec\.role: .*"owner", "member", "viewer"/],
    [
      member('qa', 'm', { email: 'ada' }),
      /spec\.email: .*must be one email address, such as ada@example\.com/,
    ],
    [member('qa', 'm', { email: 'a@b@app.test' }), /spec\.email: .*must be one email address/],
    [member('qa', 'm', { email: 'a da@app.test' }), /spec\.email: .*must be one email address/],
    [member('qa', 'm', { email: `${'a'.repeat(250)}@app.test` }), /spec\.email: .*254/],
    [member('qa', 'm', { group: '' }), /spec\.group: .*at least 1/],
    [member('qa', 'm', { group: 'x'.repeat(254) }), /spec\.group: .*253/],
    [member('qa', 'm', { email: 'a@app.test', team: 7 }), /unknown field "spec\.team"/],
    [mailExpectation('qa', 'e', { to: 'x'.repeat(321) }), /spec\.to: .*320/],
    [mailExpectation('qa', 'e', { from: 7 }), /spec\.from: .*string/],
    [mailExpectation('qa', 'e', { subject: 'x'.repeat(999) }), /spec\.subject: .*998/],
    [mailExpectation('qa', 'e', { q: 'x'.repeat(1001) }), /spec\.q: .*1000/],
    [mailExpectation('qa', 'e', { count: 0 }), /spec\.count: .*greater than or equal to 1/],
    [mailExpectation('qa', 'e', { count: 201 }), /spec\.count: .*less than or equal to 200/],
    [mailExpectation('qa', 'e', { namespace: 'other' }), /unknown field "spec\.namespace"/],
    ...['', 'soon', '5', '5 m', '1d', '0s', '999ms', '169h', '-5m', '5m5', '99999999999h', '1.5h'].map(
      (within): [object, RegExp] => [
        mailExpectation('qa', 'e', { within }),
        /spec\.within: .*(from 1s to 168h, such as 90s|20)/,
      ],
    ),
    [inbox('qa', 'i', {}), /spec\.domain: Required/],
    ...['', 'App.test', '../x', '.', '..', 'a/b', 'a b', 'x'.repeat(254)].map((domain): [object, RegExp] => [
      inbox('qa', 'i', { domain }),
      /spec\.domain: /,
    ]),
    ...['', 'a b', 'a+b', 'a@b', '.a', 'a.', 'a..b', '"a"', '*', 'a\n', '\u212a', 'x'.repeat(40)].map(
      (addressPrefix): [object, RegExp] => [
        inbox('qa', 'i', { domain: 'app.test', addressPrefix }),
        /spec\.addressPrefix: /,
      ],
    ),
    [inbox('qa', 'i', { domain: 'app.test', secretName: 'A b' }), /spec\.secretName: .*name of a Secret/],
    [inbox('qa', 'i', { domain: 'app.test', namespace: 'other' }), /unknown field "spec\.namespace"/],
    ...['', 'never', '1d', '8761h', '-1s'].map((ttlAfterFinished): [object, RegExp] => [
      mailExpectation('qa', 'e', { ttlAfterFinished }),
      /spec\.ttlAfterFinished: .*from 0s to 8760h, such as 10m/,
    ]),
  ];
  for (const [resource, sentence] of refused) {
    test(`refused: ${JSON.stringify(resource).slice(40, 160)}`, async () => {
      assert.match(await server.kubectl.refusalOfNew(resource), sentence);
    });
  }

  test('identifying fields cannot be changed', async () => {
    const { kubectl } = server;
    await kubectl.apply(
      domain('qa', 'fixed', { domain: 'fixed.test' }),
      account('qa', 'fixed', { address: 'qa@fixed.test' }),
      apiKey('qa', 'fixed', {}),
      member('qa', 'fixed', { email: 'ada@fixed.test' }),
      mailExpectation('qa', 'fixed', { to: 'qa@fixed.test', within: '1h30m' }),
      inbox('qa', 'fixed', { domain: 'fixed.test' }),
    );
    const changed: [object, RegExp][] = [
      [domain('qa', 'fixed', { domain: 'other.test' }), /delete this Domain and create another/],
      [account('qa', 'fixed', { address: 'b@fixed.test' }), /delete this Account and create another/],
      [apiKey('qa', 'fixed', { secretName: 'other' }), /secretName and displayName of an ApiKey cannot be/],
      [apiKey('qa', 'fixed', { displayName: 'other' }), /secretName and displayName of an ApiKey cannot be/],
      [member('qa', 'fixed', { email: 'bob@fixed.test' }), /delete this Member and create another/],
      [member('qa', 'fixed', { group: 'devs' }), /delete this Member and create another/],
      [
        mailExpectation('qa', 'fixed', { to: 'qa@fixed.test' }),
        /cannot be changed; delete it and create another/,
      ],
      [
        inbox('qa', 'fixed', { domain: 'fixed.test', addressPrefix: 'a' }),
        /an Inbox cannot be changed; delete it and create another/,
      ],
    ];
    for (const [resource, sentence] of changed) assert.match(await kubectl.refusal(resource), sentence);
    await kubectl.apply(
      domain('qa', 'fixed', { domain: 'fixed.test', active: false }),
      account('qa', 'fixed', { address: 'qa@fixed.test', storageLimit: 1024, catchAll: true }),
      apiKey('qa', 'fixed', { scope: 'send', expiresAt: '2027-01-01T00:00:00.5+02:00' }),
      member('qa', 'fixed', { email: 'ada@fixed.test', role: 'viewer' }),
    );
  });

  test('a new resource has its defaults and a status that is not ready', async () => {
    const { kubectl } = server;
    await kubectl.apply(
      domain('qa', 'new', { domain: 'new.test' }),
      account('qa', 'new', { address: 'qa@new.test' }),
      apiKey('qa', 'new', {}),
      member('qa', 'new', { group: 'devs' }),
      mailExpectation('qa', 'new', {}),
      inbox('qa', 'new', { domain: 'new.test' }),
    );
    const made = [
      await kubectl.get('spdom', 'qa', 'new'),
      await kubectl.get('spacc', 'qa', 'new'),
      await kubectl.get('spkey', 'qa', 'new'),
      await kubectl.get('spmem', 'qa', 'new'),
      await kubectl.get('spexp', 'qa', 'new'),
      await kubectl.get('spinbox', 'qa', 'new'),
    ];
    assert.equal(made[0].spec.active, true);
    assert.deepEqual(made[1].spec, { address: 'qa@new.test', active: true, storageLimit: '100Mi' });
    assert.deepEqual(made[2].spec, { scope: 'full' });
    assert.deepEqual(made[3].spec, { group: 'devs', role: 'member' });
    assert.deepEqual(made[4].spec, { count: 1, within: '5m' });
    assert.deepEqual(made[5].spec, { domain: 'new.test' });
    for (const { status } of made) {
      assert.equal(status.observedGeneration, -1);
      assert.deepEqual(
        status.conditions.map((condition: { type: string; status: string }) => [
          condition.type,
          condition.status,
        ]),
        [['Ready', 'Unknown']],
      );
    }
  });

  test('kubectl explain describes each field', async () => {
    for (const kind of ['domains', 'accounts', 'apikeys', 'members', 'mailexpectations', 'inboxes']) {
      const { versions } = (await server.kubectl.list('crd', 'default')).find(
        (crd) => crd.spec.names.plural === kind,
      ).spec;
      assert.deepEqual(undescribed(versions[0].schema.openAPIV3Schema.properties), []);
      const text = await server.kubectl.run('explain', kind, '--recursive');
      assert.match(text, /GROUP: +sandpost\.dev/);
      for (const field of ['spec', 'status', 'conditions', 'lastTransitionTime']) {
        assert.ok(text.includes(field), `${kind}: ${field}`);
      }
    }
    for (const [field, text] of [
      ['member.spec.role', /Default:\s+member/],
      ['account.spec.active', /Default:\s+true/],
      ['account.spec.storageLimit', /Default:\s+100Mi/],
      ['apikey.spec.scope', /Default:\s+full/],
      ['mailexpectation.spec.within', /Default:\s+5m/],
      ['inbox.spec.addressPrefix', /Default:\s+inbox/],
    ] as const)
      assert.match(await server.kubectl.run('explain', field), text);
    assert.match(await server.kubectl.run('explain', 'domain.spec.mxVerified'), /without\s+an\s+MX\s+record/);
    assert.match(
      await server.kubectl.run('explain', 'member.spec.email'),
      /can\s+register\s+the\s+address\s+first/,
    );
  });

  test('resources are found by category and by field selector', async () => {
    const { kubectl } = server;
    const names = (await kubectl.run('get', 'sandpost', '-n', 'qa', '-o', 'name')).trim().split('\n');
    for (const kind of ['domain', 'account', 'apikey', 'member', 'mailexpectation', 'inbox'])
      assert.ok(names.includes(`${kind}.sandpost.dev/new`));
    const found = await kubectl.run(
      ...['get', 'domains', '-A', '--field-selector', 'spec.domain=new.test', '-o', 'name'],
    );
    assert.equal(found.trim(), 'domain.sandpost.dev/new');
  });
});

type Schema = { description?: string; properties?: Record<string, Schema>; items?: Schema };

/** Paths of fields without a description. */
function undescribed(properties: Record<string, Schema>, path = ''): string[] {
  return Object.entries(properties).flatMap(([name, schema]) => {
    const here = `${path}.${name}`;
    // Kubernetes itself describes `metadata`.
    const bare = schema.description === undefined && here !== '.metadata' ? [here] : [];
    return [...bare, ...undescribed(schema.properties ?? schema.items?.properties ?? {}, here)];
  });
}
