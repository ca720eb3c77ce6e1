import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { programVersion } from '#telemetry/program-version.ts';
import { temporaryDir } from '#test/support/program/program.ts';
import { startRegistry, withoutRegistry } from './registry.ts';
import { cluster, isOwnCluster } from './release.ts';

/** Network namespace of the cluster's node (test/cluster/lib.sh). */
const network = '/run/netns/sandpost';
const pullSecret = 'registry';

/** Chart and values for Helm, and the image digest that pods must have, or null for the image that the cluster has. */
export type Published = { chart: string[]; values: string[]; image: string | null };

/**
 * Releases this checkout into a private registry on loopback, from which Helm and the node pull, and stores its password in
 * `namespace`. In the user's cluster, or without a registry, returns the checkout's chart and the cluster's image.
 */
export async function publish(namespace: string): Promise<Published> {
  if (!isOwnCluster || withoutRegistry) {
    const [repository, tag] = (process.env.SANDPOST_TEST_IMAGE ?? '').split(':');
    const values = [`image.repository=${repository}`, `image.tag=${tag}`];
    return { chart: ['charts/sandpost'], values, image: null };
  }
  const { host, login, serveIn } = await startRegistry();
  // containerd requests registries on loopback without TLS.
  serveIn(network);
  const name = `${host}/acme/sandpost`;
  const folder = path.join(await temporaryDir(), 'release');
  // Concurrent tests have deadlines.
  const args = [process.execPath, 'release/release.ts', '--push', name, '--out', folder];
  const env = { ...process.env, DOCKER_CONFIG: login };
  const { stdout } = await promisify(execFile)('nice', args, { env });
  const config = path.join(login, 'config.json');
  await cluster.run(
    ...['create', 'secret', 'generic', pullSecret, '-n', namespace, '--type=kubernetes.io/dockerconfigjson'],
    `--from-file=.dockerconfigjson=${config}`,
  );
  const from = ['--version', programVersion, '--plain-http', '--registry-config', config];
  return {
    chart: [`oci://${name}/charts/sandpost`, ...from],
    values: [`imagePullSecrets[0].name=${pullSecret}`],
    image: `${name}@${/^image .* (sha256:\w+)$/m.exec(stdout)?.[1]}`,
  };
}
