import { execFile, spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '#test/support/runner/free-port.ts';
import { memoryFolder } from '#test/support/runner/memory-folder.ts';
import { until } from '#test/support/runner/until.ts';

const cache = path.join(process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'), 'sandpost');
const program = path.join(cache, 'packages/docker-registry/usr/bin/docker-registry');
const crane = path.join(cache, 'crane-0.20.7');

/** Reason to skip tests that need Debian's registry and crane, or false. */
export const withoutRegistry: string | false = [program, crane].every((file) => existsSync(file))
  ? false
  : 'test/setup.sh, which installs a registry and crane, was not run';

const user = 'ada:secret';
/** htpasswd line for that user, by bcrypt. */
const htpasswd = 'ada:$2b$04$k/4I4odmkSMws9qH0YiCw.oWvX.6Tr5NLLv3iz3m3e.VW8SAwyieC\n';

/**
 * Name of the registry, and the folder of a `config.json` as `docker login` writes it. `serveIn` serves the same content under the same
 * name on a network namespace's loopback interface.
 */
export type Registry = { host: string; login: string; serveIn(network: string): void };

/** Starts the registry behind Docker's. `realm` is the token endpoint; without it, the registry asks for a password. */
export async function startRegistry(realm?: string): Promise<Registry> {
  const folder = memoryFolder();
  const host = `127.0.0.1:${await freePort()}`;
  const passwords = path.join(folder, 'htpasswd');
  await writeFile(passwords, htpasswd);
  const auth = realm
    ? { silly: { realm, service: 'registry' } }
    : { htpasswd: { realm: 'a', path: passwords } };
  const settings = {
    version: '0.1',
    log: { level: 'error', accesslog: { disabled: true } },
    storage: { filesystem: { rootdirectory: path.join(folder, 'storage') } },
    http: { addr: host, secret: 'test' },
    auth,
  };
  await writeFile(path.join(folder, 'registry.yml'), JSON.stringify(settings));
  const serve = (file: string, ...args: string[]) => {
    const child = spawn(file, [...args, 'serve', path.join(folder, 'registry.yml')], { stdio: 'ignore' });
    child.unref();
    process.once('exit', () => child.kill());
    return child;
  };
  const child = serve(program);
  const answers = () => {
    if (child.exitCode !== null) throw new Error(`the registry on ${host} ended with ${child.exitCode}`);
    return fetch(`http://${host}/v2/`, { signal: AbortSignal.timeout(2000) }).then(
      ({ status }) => status === 401,
      () => false,
    );
  };
  await until(answers);
  const login = path.join(folder, 'login');
  await mkdir(login);
  const auths = { [host]: { auth: Buffer.from(user).toString('base64') } };
  await writeFile(path.join(login, 'config.json'), JSON.stringify({ auths }));
  const serveIn = (network: string) => void serve('nsenter', `--net=${network}`, '--', program);
  return { host, login, serveIn };
}

/** Runs crane, and returns its output. */
export async function runCrane({ login }: Registry, ...args: string[]): Promise<Buffer> {
  const env = { ...process.env, DOCKER_CONFIG: login };
  const { stdout } = await promisify(execFile)(crane, args, { env, encoding: 'buffer', maxBuffer: 2 ** 30 });
  return stdout;
}
