import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { isDeepStrictEqual, promisify } from 'node:util';
import { Kubectl } from './kubectl.ts';
import { kubectl as kubectlBinary } from './kubernetes-binaries.ts';

const run = promisify(execFile);
const {
  SANDPOST_TEST_KUBECONFIG: kubeconfig = '',
  SANDPOST_TEST_IMAGE: image = '',
  SANDPOST_TEST_IMAGE_ID: id = '',
  SANDPOST_TEST_CLUSTER: whose,
} = process.env;
const helm = path.join(path.dirname(kubectlBinary), 'helm');
const [repository = '', tag = ''] = image.split(':');

/** True if the tests own the cluster and may change its DNS and nodes. */
export const isOwnCluster = whose === 'own';

/** Cluster as its administrator's kubectl sees it. */
export const cluster = new Kubectl(kubeconfig);

/** Name and namespace of the release that all tests in the cluster share. */
export const release = { name: 'sandpost', namespace: 'sandpost', mxHost: 'mx.sandpost.test' };

/** Annotation that makes an upgrade replace the pods after the image was rebuilt under the same name. */
const podAnnotations = { 'sandpost.dev/image': id };

/** Values for the tests' release: two pods of each component, MX checks every second. */
const values = {
  api: { podAnnotations },
  smtp: { podAnnotations },
  operator: { podAnnotations, attributeSenders: true },
  image: { repository, tag },
  mxHosts: [release.mxHost],
  mxIntervalSeconds: 1,
  rateLimit: 1_000_000,
  // Tags of the stand-ins that test/cluster builds. A real cluster uses the images that the chart names.
  ...(isOwnCluster
    ? { mongodb: { bundled: { image: { tag: '6' } } }, redis: { bundled: { image: { tag: '7' } } } }
    : {}),
};

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
  await runHelm(
    ...['upgrade', '--install', release.name, 'charts/sandpost', '--create-namespace'],
    ...['--wait', '--timeout', '480s'],
    ...Object.entries(values).flatMap(([key, value]) => ['--set-json', `${key}=${JSON.stringify(value)}`]),
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
