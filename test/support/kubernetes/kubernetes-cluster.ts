import { execFile } from 'node:child_process';
import { accessSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { kubectl, noKubernetes } from './kubernetes-binaries.ts';
import { startRegistry, withoutRegistry } from './registry.ts';

const run = promisify(execFile);
const scripts = path.resolve('test/cluster');
/** Network namespace of the cluster's node (test/cluster/lib.sh). */
const network = '/run/netns/sandpost';

/** Cluster of the user. Used only if both variables are set, so no test runs in somebody's daily cluster by accident. */
const given = { kubeconfig: process.env.KUBECONFIG, image: process.env.SANDPOST_TEST_IMAGE };

/** Real cluster that can pull this project's image. `env` passes both to the test files. */
export type KubernetesCluster = { env: NodeJS.ProcessEnv; close(): Promise<void> };

/** Returns the reason to skip the tests in a real cluster, or false. */
export function noCluster(): string | false {
  if (given.kubeconfig && given.image) return false;
  if (process.platform !== 'linux') return 'a cluster of its own needs Linux';
  if (process.getuid?.() !== 0) return 'a cluster of its own needs root';
  if (noKubernetes) return noKubernetes;
  if (withoutRegistry) return withoutRegistry;
  return isBuilt() ? false : 'the images of the cluster are not built here: test/setup.sh builds them';
}

/**
 * Returns the user's cluster, or starts one and releases this checkout into a private registry that its node pulls from. That
 * cluster is stopped at the end, unless it was already running. Takes about a minute.
 */
export async function startKubernetes(): Promise<KubernetesCluster> {
  if (given.kubeconfig && given.image)
    return { env: environment(given.kubeconfig, given.image), close: async () => {} };
  const publishing = publish();
  // If it fails, the cluster is stopped first.
  publishing.catch(() => {});
  const up = await script('up.sh');
  const wasUp = up.stderr.includes('already up');
  const close = async () => {
    if (!wasUp) await script('down.sh');
  };
  try {
    const { image, login, serveIn } = await publishing;
    // containerd requests registries on loopback without TLS.
    serveIn(network);
    return { env: environment(up.stdout.trim(), image, login), close };
  } catch (error) {
    await close();
    throw error;
  }
}

const environment = (kubeconfig: string, image: string, login?: string) => ({
  SANDPOST_TEST_KUBECONFIG: kubeconfig,
  SANDPOST_TEST_IMAGE: image,
  SANDPOST_TEST_LOGIN: login,
});

/** Releases this checkout into a private registry. Returns the image with its digest, and the file with the registry's password. */
async function publish() {
  const { host, login, serveIn } = await startRegistry();
  const name = `${host}/acme/sandpost`;
  const args = ['release/release.ts', '--push', name, '--out', path.join(login, 'release')];
  // Concurrent tests have deadlines.
  const released = run('nice', [process.execPath, ...args], {
    env: { ...process.env, DOCKER_CONFIG: login },
  });
  const digest = /^image .* (sha256:\w+)$/m.exec((await released).stdout)?.[1];
  return { image: `${name}@${digest}`, login: path.join(login, 'config.json'), serveIn };
}

/**
 * Runs a `test/cluster` script at the other tests' priority: pods inherit it, and requests to a starved pod end as if the pod
 * were broken. Throws with its output if it fails.
 */
function script(name: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return run(path.join(scripts, name), args, { maxBuffer: 16 * 1024 * 1024 });
}

/** True if `test/cluster/base-images.sh` has been run. */
function isBuilt(): boolean {
  const images = path.join(path.dirname(path.dirname(kubectl)), 'images');
  try {
    for (const name of ['node_24-slim', 'mongo_6', 'redis_7'])
      accessSync(path.join(images, `library_${name}.tar`));
    return true;
  } catch {
    return false;
  }
}
