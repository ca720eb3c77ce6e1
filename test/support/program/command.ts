import { spawn } from 'node:child_process';
import { buffer } from 'node:stream/consumers';

export type CommandResult = { code: number | null; out: string; err: string };

const deadlineMs = 60_000;

/** Runs `sandpost` with these arguments and settings until it ends. `input` is what it reads on standard input. */
export async function runCommand(
  args: string[],
  settings: Record<string, string>,
  input: string | Buffer = '',
): Promise<CommandResult> {
  const child = spawn('bin/sandpost', args, {
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
