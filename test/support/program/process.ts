import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface } from 'node:readline';

/** Line of the program's log. */
export type LogLine = Record<string, unknown> & { event?: string; what?: string; port?: number };

export type What = 'http' | 'smtp' | 'smtps' | 'ops';

/** Process of the real program, on ports chosen by the system. */
export type Process = {
  ports: Record<What, number>;
  pid: number;
  /** Log lines so far. */
  log: LogLine[];
  /** True if the process is running. */
  alive(): boolean;
  /** Suspends the process, so it answers nothing, or resumes it. */
  freeze(still: boolean): void;
  /** Ends the process in order (SIGTERM) and returns its exit code. */
  stop(): Promise<number | null>;
  /** Kills the process (SIGKILL), as a power cut would. */
  kill(): Promise<void>;
};

const root = path.resolve(import.meta.dirname, '../../..');
const startWithinMs = 120_000;
/** Address at which nothing answers: no test depends on its machine's DNS. */
const deadDns = '127.0.0.1:9';

/** Listeners of each command without further settings. */
const usual: Record<string, What[]> = {
  dev: ['ops', 'http', 'smtp'],
  mailpit: ['ops', 'http', 'smtp'],
  start: ['ops', 'http', 'smtp'],
  api: ['ops', 'http'],
  smtp: ['ops', 'smtp'],
  operator: ['ops'],
};

/** Starts `sandpost <command>` and waits until it listens. Throws with its output if it ends earlier. */
export async function startProcess(
  command: 'dev' | 'mailpit' | 'start' | 'api' | 'smtp' | 'operator',
  settings: Record<string, string>,
): Promise<Process> {
  const ports = { SANDPOST_HTTP_PORT: '0', SANDPOST_SMTP_PORT: '0', SANDPOST_OPS_PORT: '0' };
  const child = spawn(path.join(root, 'bin/sandpost'), [command], {
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      SANDPOST_DNS_SERVERS: deadDns,
      ...ports,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  // An aborted test leaves no process running.
  const killWithUs = () => child.kill('SIGKILL');
  process.once('exit', killWithUs);
  const end = async (signal: NodeJS.Signals) => {
    await ended(child, signal);
    process.off('exit', killWithUs);
  };
  const log: LogLine[] = [];
  const withTls = (what: What) => what === 'smtp' && settings.SANDPOST_SMTPS_PORT !== undefined;
  const expected = (usual[command] ?? []).flatMap((what): What[] =>
    withTls(what) ? [what, 'smtps'] : [what],
  );
  const found = await listening(child, command, expected, log).catch(async (error) => {
    await end('SIGKILL');
    throw error;
  });
  return {
    ports: found,
    pid: child.pid ?? 0,
    log,
    alive: () => child.exitCode === null && child.signalCode === null,
    freeze(still) {
      child.kill(still ? 'SIGSTOP' : 'SIGCONT');
    },
    kill: () => end('SIGKILL'),
    async stop() {
      await end('SIGTERM');
      return child.exitCode;
    },
  };
}

/** Waits until the log has named all ports, and returns them. Continues to collect log lines afterward. */
function listening(
  child: ChildProcess,
  command: string,
  listeners: What[],
  log: LogLine[],
): Promise<Process['ports']> {
  return new Promise((resolve, reject) => {
    const ports: Record<What, number> = { http: 0, smtp: 0, smtps: 0, ops: 0 };
    const said: string[] = [];
    const fail = (why: string) =>
      reject(new Error(`sandpost ${command} ${why}:\n${said.slice(-50).join('\n')}`));
    const timer = setTimeout(() => fail('did not listen in time'), startWithinMs);
    child.once('exit', (code, signal) => {
      clearTimeout(timer);
      fail(`ended with ${code ?? signal}`);
    });
    child.stderr?.on('data', (piece) => said.push(String(piece)));
    if (child.stdout === null) return fail('has no output');
    createInterface(child.stdout).on('line', (text) => {
      said.push(text);
      const line = parseLine(text);
      log.push(line);
      if (line.event !== 'listening' || !line.what || !line.port) return;
      ports[line.what as What] = line.port;
      if (!listeners.every((what) => ports[what] > 0)) return;
      clearTimeout(timer);
      resolve(ports);
    });
  });
}

function parseLine(text: string): LogLine {
  try {
    return JSON.parse(text);
  } catch {
    return { text };
  }
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exited = once(child, 'exit');
  child.kill(signal);
  await exited;
}
