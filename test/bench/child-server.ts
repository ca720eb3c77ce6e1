import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';

const compileCache = path.join(
  process.env.XDG_CACHE_HOME ?? path.join(homedir(), '.cache'),
  'sandpost/compiled',
);

/** Server in a separate process, with a folder that is removed when it stops. */
export type ChildServer = { pid: number; stop(): Promise<void> };

type Command = { file: string; args: string[]; env: Record<string, string> };

const startWithinMs = 30_000;
const stopWithinMs = 30_000;

/**
 * Starts a server with its output in a file, as services have it, and waits until `ready` finds something in that output. Throws with the
 * output's last lines if that takes too long.
 */
export async function startChild<T>(
  command: (folder: string) => Command,
  ready: (output: string) => T | null | Promise<T | null>,
): Promise<{ server: ChildServer; found: T }> {
  const folder = mkdtempSync(path.join(tmpdir(), 'sandpost-bench-'));
  const { file, args, env } = command(folder);
  const log = path.join(folder, 'output.log');
  const output = openSync(log, 'w');
  const child = spawn(file, args, {
    cwd: folder,
    // The compile cache makes this like a second start. A first start compiles for the second, and that must not be measured.
    env: { PATH: process.env.PATH ?? '', HOME: folder, NODE_COMPILE_CACHE: compileCache, ...env },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  // An interrupted bench leaves no process and no folder.
  const abandon = () => {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true });
  };
  process.once('exit', abandon);
  const stop = async () => {
    await end(child);
    process.off('exit', abandon);
    for (const line of complaints(readFileSync(log, 'utf8'))) process.stderr.write(`  ${line}\n`);
    rmSync(folder, { recursive: true, force: true });
  };
  const deadline = Date.now() + startWithinMs;
  for (;;) {
    const text = readFileSync(log, 'utf8');
    const found = await ready(text);
    if (found !== null && child.pid !== undefined) return { server: { pid: child.pid, stop }, found };
    if (child.exitCode !== null || Date.now() > deadline) {
      await stop();
      throw new Error(`${file} did not start:\n${text.slice(-2000)}`);
    }
    await sleep(50);
  }
}

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  const timer = setTimeout(() => child.kill('SIGKILL'), stopWithinMs);
  child.kill('SIGTERM');
  await exited;
  clearTimeout(timer);
}

/** Returns the first errors that Sandpost logged, because figures from a run with errors are worthless. */
function complaints(output: string): string[] {
  const lines = output.split('\n').filter((line) => /"level":[56]0/.test(line));
  return lines.slice(0, 5);
}
