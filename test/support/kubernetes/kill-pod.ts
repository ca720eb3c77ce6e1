import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { until } from '#test/support/runner/until.ts';
import { cluster, isOwnCluster, release } from './release.ts';

/**
 * Kills one pod of a component without notice, and waits until the cluster has noticed. In the user's cluster, the pod is deleted
 * by force, and the kubelet allows it two seconds.
 */
export async function killPod(component: 'api' | 'smtp'): Promise<void> {
  const selector = `app.kubernetes.io/component=${component}`;
  const pods = await cluster.run('get', 'pods', '-n', release.namespace, '-l', selector, '-o', 'name');
  const [pod = ''] = pods.split('\n');
  const name = pod.replace('pod/', '');
  const before = await restarts(name);
  if (isOwnCluster) await promisify(execFile)('test/cluster/kill.sh', [release.namespace, name]);
  else await cluster.run('delete', pod, '-n', release.namespace, '--grace-period=0', '--force');
  await until(async () => (await restarts(name)) !== before, 180_000, 500);
}

/** Returns a pod's container restart count, or null if no such pod exists. */
async function restarts(name: string): Promise<number | null> {
  const pod = await cluster.get('pod', release.namespace, name);
  return pod?.status.containerStatuses[0].restartCount ?? null;
}
