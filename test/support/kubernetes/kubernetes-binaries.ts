import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { withoutRedis } from '#test/support/stores/redis-server.ts';

/** Folder for `test/cluster` binaries: hyperkube (etcd and the Kubernetes programs), kubectl, helm. */
const folder = path.join(
  process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'),
  'sandpost/kubernetes/bin',
);

export const hyperkube = path.join(folder, 'hyperkube');
export const kubectl = path.join(folder, 'kubectl');

/** Reason to skip tests of the operator on an API server, or false. */
export const noKubernetes: string | false = [hyperkube, kubectl].every(isExecutable)
  ? withoutRedis()
  : 'hyperkube and kubectl are not built here: test/cluster builds them';

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
