import { execFile, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { buffer, text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { temporaryDir } from '#test/support/program/program.ts';

const run = promisify(execFile);
const clients = path.resolve('clients');
const drivers = path.resolve(import.meta.dirname, 'drivers');

/** Server that a client uses. An empty key or domain means none. */
export type Server = { url: string; key: string; domain: string };

/** Result of a call to a client: the value that it returned, or the sentence of its error. */
export type Result = { value: Buffer } | { error: string };

/**
 * Client for a language in a process. `call` accepts the client's word and its arguments, such as `['code', 'subject=Welcome']`,
 * which wait for one email to the address of the last `['inbox', 'signup']`. `subject~=` accepts a regular expression, and
 * `after=` an email's ID. `mails` returns IDs, one per line.
 */
export type Client = {
  use(server: Server): Promise<void>;
  call(...words: string[]): Promise<Result>;
  stop(): Promise<void>;
};

/** Client language: the tool that it needs, and how to start the client. */
export type Language = { name: string; tool: string; start(): Promise<Client> };

export const languages: Language[] = [
  {
    name: 'JavaScript',
    tool: 'node',
    start: async () => driverOf('node', [path.join(drivers, 'driver.js'), await copyClient('javascript')]),
  },
  {
    name: 'Python',
    tool: 'python3',
    async start() {
      const folder = await copyClient('python');
      return driverOf('python3', [path.join(drivers, 'driver.py')], {
        PYTHONPATH: folder,
        PYTHONDONTWRITEBYTECODE: '1',
      });
    },
  },
  {
    name: 'Go',
    tool: 'go',
    async start() {
      const folder = await temporaryDir();
      await copyClient('go', path.join(folder, 'sandpost'));
      await cp(path.join(drivers, 'driver.go'), path.join(folder, 'driver.go'));
      await writeFile(path.join(folder, 'go.mod'), 'module clients\n\ngo 1.23\n');
      await run('go', ['build', '-o', 'driver', '.'], { cwd: folder });
      return driverOf(path.join(folder, 'driver'), []);
    },
  },
  {
    name: 'Java',
    tool: 'javac',
    async start() {
      const folder = await copyClient('java');
      const sources = [path.join(folder, 'Sandpost.java'), path.join(drivers, 'Driver.java')];
      await run('javac', ['-Xlint:all,-serial', '-Werror', '-d', folder, ...sources]);
      return driverOf('java', ['-XX:TieredStopAtLevel=1', '-cp', folder, 'Driver']);
    },
  },
  { name: 'shell', tool: 'curl', start: startShell },
];

/** Returns the reason why a language cannot be tested here, or false. */
export function without({ tool }: Pick<Language, 'tool'>): string | false {
  return spawnSync(tool, [tool === 'go' ? 'version' : '--version']).error
    ? `${tool} is not installed; test/setup.sh does it`
    : false;
}

const cache = process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache');
/** JUnit's launcher with all that it needs, in one archive. */
export const junit = path.join(cache, 'sandpost/junit/junit-platform-console-standalone.jar');

/** Returns the reason why JUnit cannot be used, or false. */
export const withoutJunit = existsSync(junit) ? false : 'test/setup.sh, which fetches JUnit, was not run';

/** Copies a client's sources as they are served, including the version. Returns the folder. */
export async function copyClient(language: string, folder?: string): Promise<string> {
  const to = folder ?? (await temporaryDir());
  await mkdir(to, { recursive: true });
  const { version } = JSON.parse(await readFile('package.json', 'utf8'));
  const files = await readdir(path.join(clients, language), { withFileTypes: true });
  for (const { name } of files.filter((file) => file.isFile())) {
    const source = await readFile(path.join(clients, language, name), 'utf8');
    await writeFile(path.join(to, name), source.replaceAll('@VERSION@', version), { mode: 0o755 });
  }
  return to;
}

/** Starts a driver that accepts one call per line and answers it with a line: `ok` or `error`, and text in hexadecimal digits. */
function driverOf(command: string, args: string[], env: Record<string, string> = {}): Client {
  const child = spawn(command, args, {
    env: { PATH: process.env.PATH, ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  const lines = createInterface(child.stdout)[Symbol.asyncIterator]();
  const call = async (...words: string[]): Promise<Result> => {
    child.stdin.write(`${words.join('\t')}\n`);
    const { value = '' } = await lines.next();
    const [outcome = '', hex = ''] = value.split(' ');
    const answer = Buffer.from(hex, 'hex');
    if (outcome === 'ok') return { value: answer };
    if (outcome === 'error') return { error: answer.toString() };
    throw new Error(`${command} has ended`);
  };
  return {
    async use({ url, key, domain }) {
      await call('server', url, key, domain);
    },
    call,
    async stop() {
      const ended = once(child, 'exit');
      child.stdin.end();
      await ended;
      process.off('exit', killWithUs);
    },
  };
}

/** Starts nothing: runs the shell client at each call, with the last inbox's address. */
async function startShell(): Promise<Client> {
  const command = path.join(await copyClient('shell'), 'sandpost');
  let env: NodeJS.ProcessEnv = {};
  let address = '';
  return {
    async use({ url, key, domain }) {
      env = { PATH: process.env.PATH, SANDPOST_URL: url, SANDPOST_API_KEY: key, SANDPOST_DOMAIN: domain };
    },
    async call(word = '', ...given) {
      const args = word === 'inbox' ? ['address', ...given] : [word, address, ...given];
      const child = spawn(command, args, { env, stdio: ['ignore', 'pipe', 'pipe'] });
      const [output, errors, [status]] = await Promise.all([
        buffer(child.stdout),
        text(child.stderr),
        once(child, 'exit'),
      ]);
      if (status !== 0) return { error: errors.replace(/^sandpost: /, '').trimEnd() };
      const isLine = ['inbox', 'wait', 'mails', 'code', 'link'].includes(word);
      const value = isLine ? output.subarray(0, -1) : output;
      if (word === 'inbox') address = value.toString();
      return { value };
    },
    stop: async () => {},
  };
}
