import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** Output and exit code of the program. The code is null if the caller ended the run. */
export type ProgramOutput = { output: string; code: number | null };

const deadlineMs = 120_000;

/**
 * Runs the program until it ends, or until `enough` is true for its output, on either stream and at any level. `during` runs at
 * that moment.
 */
export async function outputOf(
  args: string[],
  env: Record<string, string>,
  enough: (output: string) => boolean = () => false,
  during: (output: string) => Promise<void> = async () => {},
): Promise<ProgramOutput> {
  const ports = { SANDPOST_HTTP_PORT: '0', SANDPOST_SMTP_PORT: '0', SANDPOST_OPS_PORT: '0' };
  const child = spawn('bin/sandpost', args, {
    env: { PATH: process.env.PATH, SANDPOST_LOG_LEVEL: 'trace', ...ports, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  const closed = once(child, 'close');
  const timer = setTimeout(() => child.kill('SIGKILL'), deadlineMs);
  await new Promise<void>((resolve) => {
    const read = (piece: Buffer) => {
      output += piece;
      if (enough(output)) resolve();
    };
    child.stdout.on('data', read);
    child.stderr.on('data', read);
    child.once('close', () => resolve());
  });
  const running = child.exitCode === null && child.signalCode === null;
  if (running) await during(output);
  child.kill('SIGTERM');
  await closed;
  clearTimeout(timer);
  if (child.signalCode === 'SIGKILL')
    throw new Error(`sandpost ${args[0]} neither ended nor said it:\n${output}`);
  return { output, code: running ? null : child.exitCode };
}
