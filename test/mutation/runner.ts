import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Ask, changeVariable, filesVariable, type Outcome, planVariable, type Ready } from './plan.ts';

const loadMs = 120_000;
/** Further time in ms for the first test of a file: its hooks may start a server. */
const hooksMs = 30_000;

/** Process that runs tests. Restarted after a change that hangs or kills it. */
export class Runner {
  readonly #planFile: string;
  readonly #env: NodeJS.ProcessEnv;
  #child: ChildProcess | null = null;
  /** Further environment of the process and of its restarts. */
  #mode: NodeJS.ProcessEnv = {};
  #begun = new Set<string>();

  constructor(planFile: string, env: NodeJS.ProcessEnv) {
    this.#planFile = planFile;
    this.#env = env;
  }

  /** Starts the process with all files of tests. Returns null if it cannot load them. */
  start(): Promise<Ready | null> {
    this.#mode = {};
    return this.#start();
  }

  /** Starts the process with these files only, and with a change that is active while they load. */
  startUnder(change: number, files: string[]): Promise<Ready | null> {
    this.#mode = { [changeVariable]: String(change), [filesVariable]: files.join(',') };
    return this.#start();
  }

  async #start(): Promise<Ready | null> {
    const preload = new URL('preload.ts', import.meta.url).href;
    const session = new URL('session.ts', import.meta.url).pathname;
    this.#child = spawn(process.execPath, ['--import', preload, session], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: { ...process.env, ...this.#env, ...this.#mode, [planVariable]: this.#planFile },
    });
    this.#begun.clear();
    const ready = await this.#answer<Ready>(loadMs);
    if (ready === null) await this.#kill();
    return ready;
  }

  /** Runs one test. A process that hangs or ends is an outcome too. */
  async run(ask: Ask, withinMs: number): Promise<Outcome> {
    if (this.#child === null) await this.#start();
    const began = this.#begun.has(ask.file);
    this.#begun.add(ask.file);
    this.#child?.send(ask);
    const outcome = await this.#answer<Outcome>(withinMs + (began ? 0 : hooksMs));
    if (outcome !== null) return outcome;
    await this.#kill();
    return { ok: false, reason: 'it hangs or ends the process', hung: true, reached: [] };
  }

  async end(): Promise<void> {
    const child = this.#child;
    if (child === null || child.exitCode !== null) return;
    const ended = once(child, 'exit');
    child.send('end');
    const late = setTimeout(() => child.kill('SIGKILL'), hooksMs);
    await ended;
    clearTimeout(late);
    this.#child = null;
  }

  /** Ends the process at once. The next one starts with all files. */
  async kill(): Promise<void> {
    this.#mode = {};
    await this.#kill();
  }

  async #kill(): Promise<void> {
    const child = this.#child;
    this.#child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const ended = once(child, 'exit');
    child.kill('SIGKILL');
    await ended;
  }

  #answer<T>(withinMs: number): Promise<T | null> {
    const child = this.#child;
    return new Promise((resolve) => {
      const settle = (message: T | null) => {
        clearTimeout(late);
        child?.off('message', settle).off('exit', none);
        resolve(message);
      };
      const none = () => settle(null);
      const late = setTimeout(none, withinMs);
      child?.once('message', settle).once('exit', none);
    });
  }
}
