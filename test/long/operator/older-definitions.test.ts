import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { ApiKey } from '#core/access/access.ts';
import { account, apiKey, domain, member } from '#test/support/kubernetes/custom-resources.ts';
import {
  bringForward,
  definitionFiles,
  optionalFields,
  plurals,
  readDefinition,
  specFields,
  takeBack,
} from '#test/support/kubernetes/definitions.ts';
import type { Json } from '#test/support/kubernetes/kubectl.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs, operatorScene } from '#test/support/kubernetes/operator-lab.ts';
import { until } from '#test/support/runner/until.ts';

const ready = { type: 'Ready', status: 'True' };
const end = '2037-06-30T00:00:00Z';
const template = { MAIL_HOST: '{{host}}' };
const page = { page: 1, limit: 50 };

/** Resources whose optional fields all differ from their defaults. */
const everything = (qa: string) => [
  domain(qa, 'd', {
    ...{ domain: `${qa}.test`, active: false, mxVerified: true, assumedClientIP: '203.0.113.7' },
    deletionPolicy: 'Retain',
  }),
  account(qa, 'a', {
    ...{ address: `qa@${qa}.test`, active: false, catchAll: true, capture: true },
    ...{ simulatesFailures: true, storageLimit: '7Mi', deletionPolicy: 'Retain' },
  }),
  apiKey(qa, 'read', { scope: 'read', expiresAt: end, template }),
  apiKey(qa, 'send', { scope: 'send' }),
  apiKey(qa, 'full', {}),
  member(qa, 'm', { group: 'devs', role: 'viewer' }),
];
const names = [
  ['domain', 'd'],
  ['account', 'a'],
  ['apikey', 'read'],
  ['apikey', 'send'],
  ['apikey', 'full'],
  ['member', 'm'],
] as const;

suite('definitions of an earlier release', { skip: noKubernetes }, () => {
  const scene = operatorScene();

  /** Returns what the store contains for a namespace. */
  async function storedFor(qa: string) {
    const { store } = scene.lab;
    const owner = await scene.lab.tenant(qa);
    const { items } = await store.accounts.list(owner, {}, page);
    const found = await store.rows.read('domain', { team: owner, domain: `${qa}.test` });
    const keys = await store.rows.read('managedKeys', { team: owner });
    const rules = (await store.rows.read('memberRules', {})).filter(({ team }) => team === owner);
    return {
      domain: found && [found.id, found.active, found.verification.source, found.assumedClientIp],
      accounts: items.map(({ id, active, catchAll, capture, simulatesFailures, storageLimit }) => [
        ...[id, active, catchAll, capture, simulatesFailures, storageLimit],
      ]),
      keys: keys.map(
        ({ id, name, scope, expiresAt }) => `${id} ${name} ${scope} ${expiresAt?.toISOString()}`,
      ),
      rules: rules.map(({ id, role }) => [id, role]),
    };
  }
  const notesOf = async (qa: string) => {
    const { items } = await scene.lab.store.rows.list('auditLog', { team: await scene.lab.tenant(qa) }, page);
    return items.map(({ action, target }) => `${action} ${target}`).sort();
  };
  const populate = async () => {
    const qa = await scene.lab.newNamespace();
    await scene.lab.kubectl.apply(...everything(qa));
    for (const [kind, name] of names) await conditionIs(scene.lab.kubectl, [kind, qa, name], ready);
    const before = await storedFor(qa);
    const key = before.keys.find((one) => one.includes(' read '));
    assert.match(key ?? '', /^\d+ read read 2037-06-30T00:00:00.000Z$/);
    assert.deepEqual(before.domain?.slice(1), [false, 'manual', '203.0.113.7']);
    assert.deepEqual(before.accounts[0]?.slice(1), [false, true, true, true, 7 * 2 ** 20]);
    assert.deepEqual(
      before.rules.map(([, role]) => role),
      ['viewer'],
    );
    return { qa, before, notes: await notesOf(qa) };
  };
  const complete = async (kind: string, qa: string, name: string) => {
    const { status } = await scene.lab.kubectl.get(kind, qa, name);
    return status.conditions.find(({ type }: Json) => type === 'Complete');
  };

  test('are replaced at once, and nothing of any resource gets lost', async () => {
    const { kubectl } = scene.lab;
    const { qa, before, notes } = await populate();
    for (const plural of plurals) await takeBack(kubectl, plural, optionalFields[plural] ?? []);
    for (const plural of plurals) {
      const isForward = async () => {
        const fields = specFields(await readDefinition(kubectl, plural));
        return optionalFields[plural]?.every((field) => fields.includes(field)) === true;
      };
      await until(isForward, 60_000, 100);
    }
    assert.ok(scene.operator.log.some(({ event }) => event === 'definition.replaced'));
    // The operator processes a new resource after all others of its kind.
    for (const [kind, name] of names) {
      await conditionIs(kubectl, [kind, qa, name], ready);
      await until(async () => (await complete(kind, qa, name)) === undefined, 60_000, 200);
    }
    assert.deepEqual(await storedFor(qa), before);
    assert.deepEqual(await notesOf(qa), notes);
    assert.deepEqual((await kubectl.get('apikey', qa, 'read')).spec, {
      scope: 'read',
      expiresAt: end,
      template,
    });

    // The operator gives up its ownership, so the next server-side apply meets no conflict.
    const managers = (await readDefinition(kubectl, 'apikeys')).metadata.managedFields;
    assert.ok(managers.every(({ manager }: Json) => manager !== 'sandpost-operator'));
    const { code, stderr } = await kubectl.try([
      ...['apply', '--server-side', '--field-manager=helm', ...definitionFiles],
    ]);
    assert.equal(code, 0, stderr);
  });

  test('that the operator may not replace change nothing, and each resource says what they lack', async () => {
    const { kubectl } = scene.lab;
    const { qa, before, notes } = await populate();
    await withRules(
      (rule) => ({ ...rule, verbs: rule.verbs.filter((verb) => verb !== 'patch') }),
      async () => {
        for (const plural of plurals) await takeBack(kubectl, plural, optionalFields[plural] ?? []);
        for (const [kind, name] of names) {
          const { status } = await conditionIs(kubectl, [kind, qa, name], {
            ...{ type: 'Complete', status: 'False', reason: 'DefinitionOutdated' },
          });
          const { message } = status.conditions.find(({ type }: Json) => type === 'Complete');
          for (const field of optionalFields[`${kind}s`] ?? [])
            assert.match(message, RegExp(`spec\\.${field}\\b`));
          assert.equal(status.conditions.find(({ type }: Json) => type === 'Ready').status, 'True');
        }
        const announced = (await kubectl.list('events', qa)).filter(
          ({ reason }) => reason === 'DefinitionOutdated',
        );
        assert.equal(announced.length, names.length);
        assert.deepEqual(await storedFor(qa), before);
        assert.deepEqual(await notesOf(qa), notes, 'no key was revoked or made');

        // kubectl refuses unknown fields, but other clients do not.
        const { code } = await kubectl.try(
          ['create', '--validate=false', '-f', '-'],
          JSON.stringify(apiKey(qa, 'later', { scope: 'read' })),
        );
        assert.equal(code, 0);
        await conditionIs(kubectl, ['apikey', qa, 'later'], { type: 'Ready', reason: 'DefinitionOutdated' });
        assert.equal(await kubectl.get('secret', qa, 'later'), null);
      },
    );

    await bringForward(kubectl);
    for (const [kind, name] of names.filter(([, name]) => name !== 'full')) {
      await conditionIs(kubectl, [kind, qa, name], {
        type: 'Complete',
        status: 'False',
        reason: 'FieldsKept',
      });
    }
    await until(async () => (await complete('apikey', qa, 'full')) === undefined, 60_000, 200);
    assert.match(
      (await complete('apikey', qa, 'read')).message,
      /spec\.scope \(read\) and spec\.expiresAt \(2037-06-30T00:00:00Z\)/,
    );
    await conditionIs(kubectl, ['apikey', qa, 'later'], { type: 'Ready', reason: 'FieldsUnknown' });
    assert.deepEqual(await storedFor(qa), before);

    // The manifests set the fields again. From then on, their authors may change them.
    await kubectl.apply(...everything(qa), apiKey(qa, 'later', { scope: 'read' }));
    for (const [kind, name] of names) {
      await conditionIs(kubectl, [kind, qa, name], ready);
      await until(async () => (await complete(kind, qa, name)) === undefined, 60_000, 200);
    }
    await conditionIs(kubectl, ['apikey', qa, 'later'], ready);
    const after = await storedFor(qa);
    assert.deepEqual({ ...after, keys: after.keys.filter((key) => !key.includes(' later ')) }, before);
    await kubectl.apply(
      domain(qa, 'd', { domain: `${qa}.test` }),
      account(qa, 'a', { address: `qa@${qa}.test` }),
      apiKey(qa, 'read', { scope: 'full' }),
      member(qa, 'm', { group: 'devs' }),
    );
    for (const [kind, name] of names) await conditionIs(kubectl, [kind, qa, name], ready);
    const changed = await storedFor(qa);
    assert.deepEqual(changed.domain?.slice(1), [true, null, null]);
    assert.deepEqual(changed.accounts[0]?.slice(1), [true, false, false, false, 100 * 2 ** 20]);
    assert.ok(changed.keys.some((key) => /^\d+ read full undefined$/.test(key)));
    assert.deepEqual(
      changed.rules.map(([, role]) => role),
      ['member'],
    );
  });

  test('are seen without the right to read them, as in named namespaces', async () => {
    const { kubectl } = scene.lab;
    const { qa, before, notes } = await populate();
    await withRules(
      () => null,
      async () => {
        await takeBack(kubectl, 'apikeys', ['scope', 'expiresAt']);
        await conditionIs(kubectl, ['apikey', qa, 'read'], {
          ...{ type: 'Complete', status: 'False', reason: 'DefinitionOutdated' },
        });
        assert.deepEqual(await storedFor(qa), before);
        assert.deepEqual(await notesOf(qa), notes);
      },
    );
    await bringForward(kubectl);
    await conditionIs(kubectl, ['apikey', qa, 'read'], { type: 'Complete', reason: 'FieldsKept' });
    assert.deepEqual(await storedFor(qa), before);
  });

  test('a change of scope and end refuses nothing', async () => {
    const { kubectl, store } = scene.lab;
    const qa = await scene.lab.newNamespace();
    await kubectl.apply(apiKey(qa, 'k', {}));
    await conditionIs(kubectl, ['apikey', qa, 'k'], ready);
    const [first] = await store.rows.read('managedKeys', { team: await scene.lab.tenant(qa) });
    assert.ok(first);
    const seen = new Map<number, number>();
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        const keys: ApiKey[] = await store.rows.read('managedKeys', { team: first.owner });
        assert.equal(keys.length, 1, `after ${[...seen.values()]} reads`);
        for (const { id } of keys) seen.set(id, (seen.get(id) ?? 0) + 1);
      }
    })();
    const changes: Partial<Pick<ApiKey, 'scope'> & { expiresAt: string }>[] = [
      ...[{ scope: 'read' as const }, { scope: 'send' as const, expiresAt: end }, { expiresAt: end }, {}],
    ];
    for (const spec of [...changes, ...changes]) {
      await kubectl.apply(apiKey(qa, 'k', spec));
      await conditionIs(kubectl, ['apikey', qa, 'k'], ready);
      const [key]: ApiKey[] = await store.rows.read('managedKeys', { team: first.owner });
      assert.equal(key?.scope, spec.scope ?? 'full');
      assert.equal(key?.expiresAt?.getTime(), spec.expiresAt && Date.parse(spec.expiresAt));
    }
    isOver = true;
    await watching;
    assert.deepEqual([...seen.keys()], [first.id]);
    const notes = await notesOf(qa);
    assert.deepEqual([notes.length, notes.filter((note) => note === 'api_key.changed k').length], [9, 8]);
  });

  type Rule = { apiGroups: string[]; verbs: string[] };

  /** Runs with other rights to definitions. */
  async function withRules(change: (rule: Rule) => Rule | null, run: () => Promise<void>): Promise<void> {
    const { kubectl } = scene.lab;
    const { rules }: { rules: Rule[] } = JSON.parse(
      await kubectl.run('get', 'clusterrole', 'operator', '-o', 'json'),
    );
    const isDefinitions = ({ apiGroups }: Rule) => apiGroups.includes('apiextensions.k8s.io');
    const grant = (list: Rule[]) =>
      kubectl.run('patch', 'clusterrole', 'operator', '--type=merge', '-p', JSON.stringify({ rules: list }));
    await grant(rules.flatMap((rule) => (isDefinitions(rule) ? (change(rule) ?? []) : rule)));
    try {
      await run();
    } finally {
      await grant(rules);
    }
  }
});
