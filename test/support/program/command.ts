import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';
import { storeSettings } from './program.ts';

type CommandResult = { code: number | null; out: string; err: string };

/** Result of a command that succeeded and printed nothing. */
export const done: CommandResult = { code: 0, out: '', err: '' };

const deadlineMs = 120_000;

/** Command prefix that removes root's right to write to read-only files (capabilities(7)). */
export const withoutOverride = process.getuid?.() === 0 ? ['setpriv', '--bounding-set=-dac_override'] : [];

/** Runs `sandpost` with these arguments and settings until it ends. `input` is its standard input. */
export async function runCommand(
  args: string[],
  settings: Record<string, string>,
  input: string | Buffer = '',
  wrapper: string[] = [],
): Promise<CommandResult> {
  const [command = '', ...before] = [...wrapper, 'bin/sandpost'];
  const child = spawn(command, [...before, ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, ...settings },
    timeout: deadlineMs,
  });
  // A program that refuses its arguments ends without reading.
  child.stdin.on('error', () => {});
  child.stdin.end(input);
  const code = new Promise<number | null>((resolve) => child.once('close', resolve));
  const [out, err] = await Promise.all([buffer(child.stdout), buffer(child.stderr)]);
  return { code: await code, out: out.toString(), err: err.toString() };
}

/** Runs a command with space-separated arguments. */
export type Run = (args: string, input?: string | Buffer) => Promise<CommandResult>;

/** Returns a function that runs commands on the store of a program with this data folder. */
export async function commandsOn(dataDir: string): Promise<Run> {
  const settings = await storeSettings(dataDir);
  return (args, input) => runCommand(args.split(' '), settings, input);
}
