import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { until } from '#test/support/runner/until.ts';
import { type BoundServer, bindServer } from '#test/support/stores/bound-server.ts';
import { Kubectl } from './kubectl.ts';
import { hyperkube } from './kubernetes-binaries.ts';
import { operatorRoles } from './operator-role.ts';

/** A real etcd and kube-apiserver, without nodes or controllers. */
export type ApiServer = AsyncDisposable & {
  url: string;
  /** Certificate of the authority that signed the server's own (PEM). */
  ca: string;
  /** Token of the user `operator`, who has the operator's rights and no others. */
  operatorToken: string;
  /** Path of an administrator's kubeconfig. */
  kubeconfig: string;
  kubectl: Kubectl;
  folder: string;
  /** Starts the controllers that delete the contents of namespaces, and dependents of deleted owners. */
  startControllers(): Promise<void>;
  /** Ends the API server and starts it again on the same data and port. */
  restart(whileDown?: () => Promise<void>): Promise<void>;
};

const crds = ['domains', 'accounts', 'apikeys', 'members'].map(
  (plural) => `crds/${plural}.sandpost.dev.yaml`,
);

/** Starts both on free ports, with RBAC on and the project's definitions installed. */
export async function startApiServer(): Promise<ApiServer> {
  const etcd = await bindServer(hyperkube, (port, folder) => [
    ...['etcd', '--data-dir', `${folder}/data`, '--unsafe-no-fsync', '--log-level', 'error'],
    ...['--listen-client-urls', `http://127.0.0.1:${port}`],
    ...['--advertise-client-urls', `http://127.0.0.1:${port}`, '--listen-peer-urls', 'http://localhost:0'],
  ]);
  const [token, operatorToken] = [randomBytes(16).toString('hex'), randomBytes(16).toString('hex')];
  const server = await bindServer(hyperkube, (port, folder) => [
    ...['kube-apiserver', '--etcd-servers', `http://127.0.0.1:${etcd.port}`],
    ...['--bind-address', '127.0.0.1', '--secure-port', String(port), '--cert-dir', folder],
    ...['--authorization-mode', 'RBAC', '--token-auth-file', `${folder}/tokens`],
    ...['--service-account-issuer', 'https://sandpost.test', '--service-cluster-ip-range', '10.0.0.0/24'],
    ...['--service-account-key-file', `${folder}/sa.key`],
    ...['--service-account-signing-key-file', `${folder}/sa.key`],
    // ServiceAccount requires accounts that no controller here makes.
    ...['--disable-admission-plugins', 'ServiceAccount', '--profiling=false'],
  ]);
  const url = `https://127.0.0.1:${server.port}`;
  const tokens = [`${token},admin,admin,system:masters`, `${operatorToken},operator,operator`];
  await writeFile(`${server.folder}/tokens`, `${tokens.join('\n')}\n`);
  await writeFile(`${server.folder}/sa.key`, newKey());
  const controllers = await bindServer(hyperkube, (port, folder) => [
    ...['kube-controller-manager', '--kubeconfig', `${folder}/kubeconfig`, '--secure-port', String(port)],
    ...['--bind-address', '127.0.0.1', '--cert-dir', folder, '--leader-elect=false'],
    ...['--controllers', 'namespace-controller,garbage-collector-controller'],
  ]);
  const start = async () => {
    await server.start();
    await until(() => isReady(server, token), 120_000, 50);
  };
  await etcd.start();
  await start();
  const ca = await readFile(`${server.folder}/apiserver.crt`, 'utf8');
  const kubeconfig = await writeKubeconfig(`${server.folder}/kubeconfig`, { url, ca, token });
  const kubectl = new Kubectl(kubeconfig);
  await kubectl.run('apply', '--server-side', ...crds.flatMap((file) => ['-f', file]));
  // kubectl ends with an error if a definition has no conditions yet.
  const established = ['wait', '--for=condition=Established', ...crds.flatMap((file) => ['-f', file])];
  await until(async () => (await kubectl.try(established)).code === 0);
  await kubectl.apply(...operatorRoles);
  return {
    ...{ url, ca, operatorToken, kubeconfig, kubectl, folder: server.folder },
    async startControllers() {
      await writeKubeconfig(`${controllers.folder}/kubeconfig`, { url, ca, token });
      await controllers.start();
    },
    async restart(whileDown) {
      await server.end('SIGKILL');
      await whileDown?.();
      await start();
    },
    async [Symbol.asyncDispose]() {
      await controllers.remove();
      await server.remove();
      await etcd.remove();
    },
  };
}

/** Writes a kubeconfig and gives its path. An address without `ca` is one of plain HTTP. */
export async function writeKubeconfig(
  file: string,
  { url, ca, token }: { url: string; ca?: string; token: string },
): Promise<string> {
  const trust =
    ca === undefined
      ? { 'insecure-skip-tls-verify': true }
      : { 'certificate-authority-data': Buffer.from(ca).toString('base64') };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'test', cluster: { server: url, ...trust } }],
    users: [{ name: 'test', user: { token } }],
    contexts: [{ name: 'test', context: { cluster: 'test', user: 'test', namespace: 'default' } }],
    'current-context': 'test',
  };
  await writeFile(file, JSON.stringify(config));
  return file;
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
}

function isReady(server: BoundServer, token: string): Promise<boolean> {
  return new Promise((resolve) => {
    const options = { headers: { authorization: `Bearer ${token}` }, rejectUnauthorized: false };
    request(`https://127.0.0.1:${server.port}/readyz`, options, (response) => {
      response.resume();
      resolve(response.statusCode === 200);
    })
      .once('error', () => resolve(false))
      .end();
  });
}
