import { type V1Lease, V1MicroTime } from '@kubernetes/client-node';
import type { ApiClient } from './api-client.ts';
import { orNull, unlessConflict } from './api-errors.ts';
import type { LeasePort, LeaseRecord } from './leader.ts';

/** Reads and writes the Lease `name` in the process's own namespace. */
export function createLease({ coordination, namespace }: ApiClient, name: string): LeasePort {
  return {
    async read() {
      const lease = await orNull(coordination.readNamespacedLease({ name, namespace }));
      return lease === null ? null : recordOf(lease);
    },
    write({ holder, transitions, durationMs }, before) {
      const time = new V1MicroTime();
      const isRenewal = before?.holder === holder;
      const body: V1Lease = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name, namespace, ...(before === null ? {} : { resourceVersion: before.revision }) },
        spec: {
          holderIdentity: holder,
          leaseTransitions: transitions,
          leaseDurationSeconds: durationMs / 1000,
          renewTime: time,
          acquireTime: isRenewal && before.acquireTime ? before.acquireTime : time,
        },
      };
      return unlessConflict(
        before === null
          ? coordination.createNamespacedLease({ namespace, body })
          : coordination.replaceNamespacedLease({ name, namespace, body }),
      );
    },
  };
}

function recordOf({ metadata, spec }: V1Lease): LeaseRecord {
  return {
    holder: spec?.holderIdentity ?? '',
    transitions: spec?.leaseTransitions ?? 0,
    durationMs: (spec?.leaseDurationSeconds ?? 0) * 1000,
    acquireTime: spec?.acquireTime ?? null,
    revision: metadata?.resourceVersion ?? '',
  };
}
