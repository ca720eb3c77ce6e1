import { readFileSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { call } from './kubernetes-api.ts';

/**
 * Prepares `helm uninstall`: stops the operator and waits until it is gone, removes its Lease and the role that Helm keeps, and removes
 * the operator's finalizer from all resources, so a namespace with resources can still be deleted. The resources stay. A later
 * installation adds the finalizers again.
 */
type Settings = {
  namespace: string;
  /** Namespaces of the resources; empty for all. */
  watchNamespaces: string[];
  /** `workload`: path of the operator's Deployment or StatefulSet, such as deployments/sandpost-operator. */
  operator: { workload: string; lease: string; selector: Record<string, string> };
  /** Name of the ClusterRole that Helm keeps, and of its binding. Neither exists for an operator limited to some namespaces. */
  definitionsRole: string;
};

const finalizer = 'sandpost.dev/finalizer';
const settings: Settings = JSON.parse(readFileSync(path.join(import.meta.dirname, 'settings.json'), 'utf8'));
const pods = `/api/v1/namespaces/${settings.namespace}/pods`;
const lease = `/apis/coordination.k8s.io/v1/namespaces/${settings.namespace}/leases/${settings.operator.lease}`;
const workload = `/apis/apps/v1/namespaces/${settings.namespace}/${settings.operator.workload}`;
/** Maximum wait in ms for the operator's pods, longer than an operator takes to stop. A pod on a lost node never ends. */
const patienceMs = 90_000;

async function stopOperator(): Promise<void> {
  await call('PATCH', `${workload}/scale`, { body: { spec: { replicas: 0 } } });
  const labels = Object.entries(settings.operator.selector).map(([name, value]) => `${name}=${value}`);
  const deadline = Date.now() + patienceMs;
  while (Date.now() < deadline) {
    const { body } = await call('GET', `${pods}?labelSelector=${encodeURIComponent(labels.join(','))}`);
    if (body.items?.length === 0) return;
    await pause(500);
  }
}

/**
 * Removes the operator's finalizer from all resources of one kind, in one namespace or, if `namespace` is empty, in all. Returns the
 * number of resources that had the finalizer.
 */
async function release(plural: string, namespace: string): Promise<number> {
  const group = '/apis/sandpost.dev/v1alpha1';
  const folder = namespace === '' ? group : `${group}/namespaces/${namespace}`;
  let released = 0;
  let page = '';
  do {
    // 404: the definitions are gone. 403: the namespace is gone, along with its Role.
    const known = namespace === '' ? [404] : [403, 404];
    const { status, body } = await call('GET', `${folder}/${plural}?limit=500&continue=${page}`, { known });
    if (status === 403)
      console.log(
        `${plural} in ${namespace}: no permission, because the namespace or its Role no longer exists`,
      );
    for (const { metadata } of body.items ?? []) {
      if (!metadata.finalizers?.includes(finalizer)) continue;
      const finalizers = metadata.finalizers.filter((name) => name !== finalizer);
      const url = `${group}/namespaces/${metadata.namespace}/${plural}/${metadata.name}`;
      // The API refuses a change to a resource that has changed since it was listed (409). The Job's next attempt releases the resource.
      const change = { metadata: { finalizers, resourceVersion: metadata.resourceVersion } };
      await call('PATCH', url, { body: change, known: [404] });
      released += 1;
    }
    page = encodeURIComponent(body.metadata?.continue ?? '');
  } while (page !== '');
  return released;
}

const { body: found } = await call('GET', workload, { known: [404] });
// Helm writes this annotation on the resources that it installs. A Job without it was applied with everything else, so this is not an
// uninstall.
if (found.metadata?.annotations?.['meta.helm.sh/release-name'] === undefined) {
  console.log('not a Helm release: nothing to do');
} else {
  await stopOperator();
  await call('DELETE', lease, { known: [404] });
  for (const plural of settings.watchNamespaces.length > 0 ? [] : ['clusterrolebindings', 'clusterroles']) {
    const url = `/apis/rbac.authorization.k8s.io/v1/${plural}/${settings.definitionsRole}`;
    await call('DELETE', url, { known: [404] });
  }
  for (const plural of ['domains', 'accounts', 'apikeys', 'members', 'inboxes']) {
    for (const namespace of settings.watchNamespaces.length > 0 ? settings.watchNamespaces : ['']) {
      console.log(
        `${plural}${namespace && ` in ${namespace}`}: ${await release(plural, namespace)} released`,
      );
    }
  }
}
