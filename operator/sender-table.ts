import type { Sender } from '#core/messages/sender.ts';
import { isDeleted, type ResourceOf } from './runtime/resource.ts';

type Owner = { kind: string; name: string; uid: string; controller?: boolean };
type Addresses = { ip: string }[];

/** Parts of a Pod that show which workload sends from which address. */
export type Pod = ResourceOf<
  'Pod',
  { hostNetwork?: boolean },
  { phase: string | undefined; podIPs: Addresses | undefined; hostIPs: Addresses | undefined }
> & { metadata: { labels?: Record<string, string>; ownerReferences?: Owner[] | undefined } };

/** Returns the parts of a Pod that the operator keeps. Pods have many others. */
export function partsOf({ metadata, spec, status }: Pod): Pod {
  const { namespace, name, uid, resourceVersion, generation, deletionTimestamp } = metadata;
  const ownerReferences = metadata.ownerReferences?.filter(controls);
  const hash = metadata.labels?.['pod-template-hash'];
  const { phase, podIPs, hostIPs } = status ?? {};
  return {
    ...{ apiVersion: 'v1', kind: 'Pod' },
    metadata: {
      ...{ namespace, name, uid, resourceVersion, generation, ownerReferences },
      ...(deletionTimestamp && { deletionTimestamp }),
      ...(hash && { labels: { 'pod-template-hash': hash } }),
    },
    spec: { hostNetwork: spec?.hostNetwork === true },
    status: { phase, podIPs, hostIPs },
  };
}

const ownerForm =
  /^[A-Za-z0-9]{1,63}\/(?=.{1,253}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/;
/**
 * Validates an owner reference, which the tenant who creates the Pod controls. Anything that cannot be a kind and a name is not an owner.
 */
const controls = ({ controller, kind, name }: Owner) => controller && ownerForm.test(`${kind}/${name}`);

type Owned = { metadata: { ownerReferences?: Owner[] | undefined } };

/** Returns the owner that controls a Pod or a Job, if any. */
export const controllerOf = ({ metadata }: Owned) => metadata.ownerReferences?.find(controls);

/** Names a Pod's owner as kubectl does. A Deployment's ReplicaSet has the Deployment's name, followed by a hash of the template. */
export function nameOf({ kind, name }: Owner, { metadata: { labels } }: Pod): string {
  const end = `-${labels?.['pod-template-hash']}`;
  const isOfDeployment = kind === 'ReplicaSet' && name.endsWith(end);
  return isOfDeployment ? `Deployment/${name.slice(0, -end.length)}` : `${kind}/${name}`;
}

/**
 * Returns which Pod sends from which address. Omits nodes' addresses, which host-network Pods and translated connections use, and
 * addresses that two Pods claim. Omits a Pod that is ending or being deleted, because another Pod may get its address before it is gone.
 * `workloadOf` returns undefined if the workload is not known yet.
 */
export function tableOf(
  pods: Pod[],
  workloadOf: (pod: Pod) => string | null | undefined,
): Map<string, Sender> {
  const taken = new Set(pods.flatMap(({ status }) => (status?.hostIPs ?? []).map(({ ip }) => ip)));
  const table = new Map<string, Sender>();
  for (const pod of pods) {
    const { phase, podIPs = [] } = pod.status ?? {};
    if (pod.spec.hostNetwork || isDeleted(pod) || phase === 'Succeeded' || phase === 'Failed') continue;
    const workload = workloadOf(pod);
    for (const { ip } of podIPs) {
      if (taken.has(ip) || workload === undefined) table.delete(ip);
      else table.set(ip, { namespace: pod.metadata.namespace, pod: pod.metadata.name, workload });
      taken.add(ip);
    }
  }
  return table;
}
