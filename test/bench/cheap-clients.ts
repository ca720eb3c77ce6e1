import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { smtpSource, type Tool, wrk } from './debian-tools.ts';

const execute = promisify(execFile);

/** Load outcome: what was done in how many seconds, and the client's own CPU time in ms. */
export type Outcome = { count: number; seconds: number; clientCpuMs: number };

/** Load of equally large emails over several simultaneous connections. With `kept`, each connection sends email after email. */
export type SourceLoad = { port: number; to: string; clients: number; mails: number; kept: boolean };

const mailBytes = 4096;

/** Sends emails with Postfix's smtp-source. Throws if one is refused. */
export async function loadBySmtpSource({ port, to, clients, mails, kept }: SourceLoad): Promise<Outcome> {
  const counts = ['-s', `${clients}`, '-m', `${mails}`, '-l', `${mailBytes}`];
  const args = [...(kept ? ['-d'] : []), ...counts, '-f', 'load@sender.test', '-t', to, `127.0.0.1:${port}`];
  const { seconds, clientCpuMs } = await timed(smtpSource(), args);
  return { count: mails, seconds, clientCpuMs };
}

/** Load of requests for the paths in turn, over several persistent connections. */
export type WrkLoad = {
  port: number;
  headers: Record<string, string>;
  paths: string[];
  clients: number;
  seconds: number;
};

/** Latencies in ms, from the request to the response's last byte. */
export type WrkOutcome = Outcome & { p50: number; p99: number };

const script = fileURLToPath(new URL('wrk.lua', import.meta.url));

/** Sends requests with wrk. Throws if a response is not 200. */
export async function loadByWrk({ port, headers, paths, clients, seconds }: WrkLoad): Promise<WrkOutcome> {
  const { file, env } = wrk();
  const fields = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`]);
  const counts = ['-t', '1', '-c', `${clients}`, '-d', `${seconds}s`];
  const args = [...counts, ...fields, '-s', script, `http://127.0.0.1:${port}`];
  const folder = await mkdtemp(path.join(tmpdir(), 'sandpost-wrk-'));
  const list = path.join(folder, 'paths');
  await writeFile(list, paths.join('\n'));
  const { clientCpuMs, output } = await timed({ file, env: { ...env, WRK_PATHS: list } }, args);
  await rm(folder, { recursive: true });
  const line = output.split('\n').findLast((text) => text.startsWith('{'));
  if (line === undefined) throw new Error(`wrk printed no result:\n${output}`);
  const { count, bad, ...times }: { count: number; bad: number; seconds: number; p50: number; p99: number } =
    JSON.parse(line);
  if (bad > 0 || count === 0) throw new Error(`${bad} of ${count} answers were not 200`);
  return { count, clientCpuMs, ...times };
}

/** Runs a program to its end, measured by the shell. Throws if it fails. */
async function timed(
  { file, env }: Tool,
  args: string[],
): Promise<{ seconds: number; clientCpuMs: number; output: string }> {
  const shell = ['-c', 'time "$@"', 'bash', file, ...args];
  const options = { env: { ...env, TIMEFORMAT: '%R %U %S', LC_ALL: 'C' } };
  const { stdout, stderr } = await execute('bash', shell, options);
  const [real = 0, user = 0, system = 0] = (stderr.trim().split('\n').at(-1) ?? '').split(' ').map(Number);
  return { seconds: real, clientCpuMs: (user + system) * 1000, output: stdout };
}
