import { accessSync, constants } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';

/** Folder in which `test/cluster` puts its binaries: hyperkube (etcd and the programs of Kubernetes), kubectl, helm. */
const folder = path.join(
  process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'),
  'sandpost/kubernetes/bin',
);

export const hyperkube = path.join(folder, 'hyperkube');
export const kubectl = path.join(folder, 'kubectl');

/** Reason to skip tests that need an API server, or false. */
export const noKubernetes: string | false = [hyperkube, kubectl].every(isExecutable)
  ? false
  : 'hyperkube and kubectl are not built here: test/cluster builds them';

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
