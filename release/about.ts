import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { programVersion } from '#telemetry/program-version.ts';

const execute = promisify(execFile);
export const source = 'https://github.com/sandpost/sandpost';

/** Runs a program and returns its output. If the program fails, throws an error with its error output. */
export async function run(file: string, args: string[], options: { cwd?: string } = {}): Promise<Buffer> {
  return (await execute(file, args, { ...options, encoding: 'buffer', maxBuffer: 2 ** 30 })).stdout;
}

/** Version in package.json, and the checkout's commit. If the checkout contains changes, the revision is one that nobody else has. */
export async function about() {
  const head = (await run('git', ['log', '-1', '--format=%H %ct'])).toString().split(' ');
  const changes = await run('git', ['status', '--porcelain', '--untracked-files=no']);
  return {
    version: programVersion,
    revision: `${head[0]}${changes.length > 0 ? '-changed' : ''}`,
    created: new Date(Number(head[1]) * 1000).toISOString().replace('.000', ''),
  };
}
export type About = Awaited<ReturnType<typeof about>>;
