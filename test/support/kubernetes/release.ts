import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual, promisify } from 'node:util';
import { programVersion } from '#telemetry/program-version.ts';
import { namespace } from './custom-resources.ts';
import { Kubectl } from './kubectl.ts';
import { kubectl as kubectlBinary } from './kubernetes-binaries.ts';

const run = promisify(execFile);
const {
  SANDPOST_TEST_KUBECONFIG: kubeconfig = '',
  SANDPOST_TEST_IMAGE: image = '',
  SANDPOST_TEST_LOGIN: login = '',
} = process.env;
const helm = path.join(path.dirname(kubectlBinary), 'helm');
const [, repository, tag, digest] = /^(.+?)(?::([^:/@]+))?(?:@(.+))?$/.exec(image) ?? [];

/** True if the tests own the cluster. They may change its DNS and nodes, and it pulls the image from their registry. */
export const isOwnCluster = login !== '';

/** Cluster as its administrator's kubectl sees it. */
export const cluster = new Kubectl(kubeconfig);

/** Name and namespace of the release that all tests in the cluster share. */
export const release = { name: 'sandpost', namespace: 'sandpost', mxHost: 'mx.sandpost.test' };

/** Helm's arguments for the chart: the registry's, or the checkout's for the user's image. */
export const chart = isOwnCluster
  ? [
      ...[`oci://${repository}/charts/sandpost`, '--version', programVersion],
      ...['--plain-http', '--registry-config', login],
    ]
  : ['charts/sandpost'];

/** Secret with the registry's password in each namespace that `createNamespace` creates. */
export const pullSecret = 'registry';

/** Values for each release in the cluster. The tests' cluster has stand-ins for the stores' images, under other tags. */
export const valuesHere = isOwnCluster
  ? {
      image: { digest },
      imagePullSecrets: [pullSecret],
      ...{ mongodb: { bundled: { image: { tag: '6' } } }, redis: { bundled: { image: { tag: '7' } } } },
    }
  : { image: { repository, tag } };

/** Values for the tests' release: two pods of each component, MX checks every second. */
const values = {
  ...valuesHere,
  operator: { attributeSenders: true },
  mxHosts: [release.mxHost],
  mxIntervalSeconds: 1,
  rateLimit: 1_000_000,
};

/** Helm's arguments for values. */
export const setAll = (all: object): string[] =>
  Object.entries(all).flatMap(([key, value]) => ['--set-json', `${key}=${JSON.stringify(value)}`]);

/** Creates a namespace. In the tests' cluster, its pods can pull from the registry. */
export async function createNamespace(name: string): Promise<void> {
  const secret = () => ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace: name, name: pullSecret },
    type: 'kubernetes.io/dockerconfigjson',
    data: { '.dockerconfigjson': readFileSync(login, 'base64') },
  });
  await cluster.apply(namespace(name), ...(isOwnCluster ? [secret()] : []));
}

/** Runs helm in the release's namespace, or in another that `--namespace` names. Throws with its error output if it fails. */
export async function runHelm(...args: string[]): Promise<string> {
  const named = args.includes('--namespace') ? [] : ['--namespace', release.namespace];
  const { stdout } = await run(helm, [...args, '--kubeconfig', kubeconfig, ...named]);
  return stdout;
}

/** Installs the release for a test, unless it exists with its values, and waits until all is ready. */
export async function ensureRelease(): Promise<void> {
  if (!(await isInstalled())) return installRelease();
  const deployments = ['deployment', '--all', '-n', release.namespace];
  await cluster.run('wait', ...deployments, '--for=condition=Available', '--timeout=480s');
}

/** True if the release is deployed with the tests' values. An earlier test may have set more. */
async function isInstalled(): Promise<boolean> {
  const named = ['list', '--deployed', '--filter', `^${release.name}$`, '--output', 'json'];
  if (JSON.parse(await runHelm(...named)).length === 0) return false;
  const given = JSON.parse(await runHelm('get', 'values', release.name, '--output', 'json'));
  return isDeepStrictEqual({ ...given, ...values }, given);
}

/** Installs the chart, or upgrades it to these values (`key=value`), and waits until all is ready. */
export async function installRelease(...set: string[]): Promise<void> {
  await createNamespace(release.namespace);
  await runHelm(
    ...['upgrade', '--install', release.name, ...chart, '--wait', '--timeout', '480s'],
    ...setAll(values),
    ...set.flatMap((pair) => ['--set', pair]),
  );
}

/** Returns the API and SMTP pods that are not terminating, in the tests' release or another. */
export async function mailPods(namespace = release.namespace, full = release.name): Promise<string[]> {
  const pods = await cluster.list('pods', namespace);
  return pods
    .filter(({ metadata }) => metadata.deletionTimestamp === undefined)
    .map(({ metadata }) => metadata.name)
    .filter((pod: string) => pod.startsWith(`${full}-api-`) || pod.startsWith(`${full}-smtp-`))
    .sort();
}

/** Forwards a local port to one pod of the API's Service, in the tests' release or another. */
export async function forwardApi(
  namespace = release.namespace,
  service = 'sandpost-api',
): Promise<AsyncDisposable & { url: string }> {
  const child = spawn(
    kubectlBinary,
    ['--kubeconfig', kubeconfig, '-n', namespace, 'port-forward', `service/${service}`, ':80'],
    { stdio: ['ignore', 'pipe', 'inherit'] },
  );
  const exited = once(child, 'exit');
  const line = await Promise.race([
    once(createInterface(child.stdout), 'line').then(([text]) => String(text)),
    exited.then(([code]) => Promise.reject(new Error(`kubectl port-forward ended with ${code}`))),
  ]);
  const port = /:(\d+) ->/.exec(line)?.[1];
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      child.kill();
      await exited;
    },
  };
}

/** Returns the API key and password of the user that the chart created. */
export async function bootstrapUser(
  namespace = release.namespace,
  secret = 'sandpost-bootstrap',
): Promise<{ key: string; password: string }> {
  const { data } = await cluster.get('secret', namespace, secret);
  const plain = (name: string) => Buffer.from(data[name], 'base64').toString();
  return { key: plain('api-key'), password: plain('password') };
}
