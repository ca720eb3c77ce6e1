import assert from 'node:assert/strict';
import { after, before, suite, test } from 'node:test';
import { domain } from '#test/support/kubernetes/custom-resources.ts';
import { noKubernetes } from '#test/support/kubernetes/kubernetes-binaries.ts';
import { conditionIs, type OperatorLab, startOperatorLab } from '#test/support/kubernetes/operator-lab.ts';
import type { Process } from '#test/support/program/process.ts';
import { startOwnMongod, type TestMongo } from '#test/support/stores/mongod.ts';

const ready = { type: 'Ready', status: 'True' };

suite('an outage of the store', { skip: noKubernetes }, () => {
  let mongo: TestMongo;
  let lab: OperatorLab;
  let operator: Process;
  before(async () => {
    lab = await startOperatorLab({ startStore: async () => (mongo = await startOwnMongod()) });
    operator = await lab.startOperator();
  });
  after(async () => {
    await operator.kill();
    await lab[Symbol.asyncDispose]();
  });

  test('new and changed resources show the outage, and are ready after it', async () => {
    const { kubectl } = lab;
    const qa = await lab.newNamespace();
    await kubectl.apply(domain(qa, 'old', { domain: 'old.test' }));
    const old = await conditionIs(kubectl, ['domain', qa, 'old'], ready);
    await mongo.server?.end('SIGKILL');
    await kubectl.apply(
      domain(qa, 'new', { domain: 'new.test' }),
      domain(qa, 'old', { domain: 'old.test', active: false }),
    );
    const unavailable = { ...ready, status: 'False', reason: 'StoreUnavailable' };
    await conditionIs(kubectl, ['domain', qa, 'new'], unavailable, 120_000);
    const changed = await conditionIs(kubectl, ['domain', qa, 'old'], unavailable, 120_000);
    assert.equal(changed.status.domainId, old.status.domainId, 'the status keeps its fields');
    const readiness = await fetch(`http://127.0.0.1:${operator.ports.ops}/readyz`);
    assert.equal(readiness.status, 503);
    await mongo.server?.start();
    await conditionIs(kubectl, ['domain', qa, 'new'], ready, 120_000);
    await conditionIs(kubectl, ['domain', qa, 'old'], { ...ready, reason: 'Inactive' }, 120_000);
    assert.ok(operator.alive());
  });
});
