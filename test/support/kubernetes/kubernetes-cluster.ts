import { execFile } from 'node:child_process';
import { accessSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { kubectl, noKubernetes } from './kubernetes-binaries.ts';

const run = promisify(execFile);
const scripts = path.resolve('test/cluster');
const image = 'sandpost:test';

/** A cluster of the user's: it is used where both are set, for nobody's daily cluster may be meant by accident. */
const given = { kubeconfig: process.env.KUBECONFIG, image: process.env.SANDPOST_TEST_IMAGE };

/** A real cluster with the image of this project in it; `env` tells the test files of it. */
export type KubernetesCluster = { env: NodeJS.ProcessEnv; close(): Promise<void> };

/** Why the tests in a real cluster are skipped, or false. */
export function noCluster(): string | false {
  if (given.kubeconfig && given.image) return false;
  if (process.platform !== 'linux') return 'a cluster of its own needs Linux';
  if (process.getuid?.() !== 0) return 'a cluster of its own needs root';
  if (noKubernetes) return noKubernetes;
  return isBuilt() ? false : 'the images of the cluster are not built here: test/setup.sh builds them';
}

/**
 * The user's cluster, or one of our own with the image of this project: it is taken down at the end, unless it was up
 * before. Takes about a minute.
 */
export async function startKubernetes(): Promise<KubernetesCluster> {
  if (given.kubeconfig && given.image)
    return { env: environment(given.kubeconfig, given.image, given.image, 'given'), close: async () => {} };
  const up = await script('up.sh');
  const wasUp = up.stderr.includes('already up');
  const close = async () => {
    if (!wasUp) await script('down.sh');
  };
  try {
    const { stdout: id } = await script('image.sh', image, 'Dockerfile', '.');
    return { env: environment(up.stdout.trim(), image, id.trim(), 'own'), close };
  } catch (error) {
    await close();
    throw error;
  }
}

const environment = (kubeconfig: string, image: string, id: string, whose: 'given' | 'own') => ({
  SANDPOST_TEST_KUBECONFIG: kubeconfig,
  SANDPOST_TEST_IMAGE: image,
  SANDPOST_TEST_IMAGE_ID: id,
  SANDPOST_TEST_CLUSTER: whose,
});

/** Runs one of `test/cluster`, politely; throws with what it said. */
function script(name: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> {
  return run('nice', [path.join(scripts, name), ...args], { maxBuffer: 16 * 1024 * 1024 });
}

/** Tells whether `test/cluster/base-images.sh` has been run. */
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
