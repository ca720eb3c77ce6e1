import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { until } from '#test/support/runner/until.ts';
import { type BoundServer, bindServer } from '#test/support/stores/bound-server.ts';
import { bringForward } from './definitions.ts';
import { emptyEtcd } from './etcd.ts';
import { Kubectl } from './kubectl.ts';
import { hyperkube } from './kubernetes-binaries.ts';
import { operatorRoles } from './operator-role.ts';

/** Real etcd and kube-apiserver, without nodes or controllers. */
export type ApiServer = AsyncDisposable & {
  url: string;
  /** Certificate of the authority that signed the server's own (PEM). */
  ca: string;
  /** Token of the user `operator`, who has only the operator's rights. */
  operatorToken: string;
  /** Path of an administrator's kubeconfig. */
  kubeconfig: string;
  kubectl: Kubectl;
  folder: string;
  /** Starts the controllers that delete namespaces' contents and deleted owners' dependents. */
  startControllers(): Promise<void>;
};

/** Running servers, as the environment of test files passes them on. */
type Servers = { url: string; etcd: string; folder: string; token: string; operatorToken: string };
const shared = 'SANDPOST_TEST_API_SERVER';

/** Starts servers for several files, of which one runs at a time. `env` passes the servers to `startApiServer`. */
export async function shareApiServer(): Promise<{ env: NodeJS.ProcessEnv; close(): Promise<void> }> {
  const { servers, close } = await startServers();
  return { env: { [shared]: JSON.stringify(servers) }, close };
}

/** Empties the shared servers, or starts new ones, with RBAC on and the project's definitions installed. */
export async function startApiServer(): Promise<ApiServer> {
  const given = process.env[shared];
  if (given === undefined) return startOwnApiServer();
  const servers: Servers = JSON.parse(given);
  await emptyEtcd(servers.etcd);
  return install(servers, async () => {});
}

/** Starts the caller's own servers, regardless of the environment. `restart` keeps their data and ports. */
export async function startOwnApiServer(): Promise<ApiServer & Pick<Started, 'restart'>> {
  const { servers, restart, close } = await startServers();
  return { ...(await install(servers, close)), restart };
}

type Started = {
  servers: Servers;
  restart(whileDown?: () => Promise<void>): Promise<void>;
  close(): Promise<void>;
};

async function startServers(): Promise<Started> {
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
    // ServiceAccount requires accounts that no controller here creates.
    ...['--disable-admission-plugins', 'ServiceAccount', '--profiling=false'],
  ]);
  const { port, folder } = server;
  const tokens = [`${token},admin,admin,system:masters`, `${operatorToken},operator,operator`];
  await writeFile(`${folder}/tokens`, `${tokens.join('\n')}\n`);
  await writeFile(`${folder}/sa.key`, newKey());
  const start = async () => {
    await server.start();
    await until(() => isReady(server, token), 120_000, 50);
  };
  await etcd.start();
  await start();
  const url = `https://127.0.0.1:${port}`;
  return {
    servers: { url, etcd: `http://127.0.0.1:${etcd.port}`, folder, token, operatorToken },
    async restart(whileDown) {
      await server.end('SIGKILL');
      await whileDown?.();
      await start();
    },
    async close() {
      await server.remove();
      await etcd.remove();
    },
  };
}

/** Installs the project's definitions and the operator's rights. */
async function install(
  { url, folder, token, operatorToken }: Servers,
  close: () => Promise<void>,
): Promise<ApiServer> {
  const ca = await readFile(`${folder}/apiserver.crt`, 'utf8');
  const kubeconfig = await writeKubeconfig(`${folder}/kubeconfig`, { url, ca, token });
  const kubectl = new Kubectl(kubeconfig, { url, ca, token });
  await bringForward(kubectl);
  await kubectl.apply(...operatorRoles);
  const controllers = await bindServer(hyperkube, (port, own) => [
    ...['kube-controller-manager', '--kubeconfig', kubeconfig, '--secure-port', String(port)],
    ...['--bind-address', '127.0.0.1', '--cert-dir', own, '--leader-elect=false'],
    ...['--controllers', 'namespace-controller,garbage-collector-controller'],
  ]);
  return {
    ...{ url, ca, operatorToken, kubeconfig, kubectl, folder },
    startControllers: () => controllers.start(),
    async [Symbol.asyncDispose]() {
      await controllers.remove();
      await close();
    },
  };
}

/** Writes a kubeconfig and returns its path. An address without `ca` means plain HTTP. */
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
