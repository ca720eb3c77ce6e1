import { type LogLine, type Process, startProcess } from './process.ts';

/** Stoppable `api` or `smtp` process that can be started again. Its ports change each time. */
export class Pod {
  readonly #command: 'api' | 'smtp';
  readonly #settings: Record<string, string>;
  readonly #earlier: LogLine[] = [];
  #process: Process | null = null;

  constructor(command: 'api' | 'smtp', settings: Record<string, string>) {
    this.#command = command;
    this.#settings = settings;
  }

  /** True if the process is running. */
  get isUp(): boolean {
    return this.#process?.alive() ?? false;
  }

  get httpPort(): number {
    return this.#process?.ports.http ?? 0;
  }

  get smtpPort(): number {
    return this.#process?.ports.smtp ?? 0;
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.httpPort}`;
  }

  /** Log lines of all processes that this pod has had. */
  get log(): LogLine[] {
    return [...this.#earlier, ...(this.#process?.log ?? [])];
  }

  async start(): Promise<void> {
    this.#process = await startProcess(this.#command, this.#settings);
  }

  /** Suspends the process, so it answers nothing, or resumes it. */
  freeze(still: boolean): void {
    this.#process?.freeze(still);
  }

  /** Kills the process with SIGKILL. */
  async kill(): Promise<void> {
    await this.#leave()?.kill();
  }

  /** Ends the process with SIGTERM. Returns the exit code. */
  async stop(): Promise<number | null> {
    return (await this.#leave()?.stop()) ?? null;
  }

  /** Returns a probe's status: `livez` or `readyz`. */
  async probe(name: 'livez' | 'readyz'): Promise<number> {
    return (await this.#ops(name)).status;
  }

  /** Returns a counter's value, summed over its labels. */
  async metric(name: string): Promise<number> {
    const lines = (await (await this.#ops('metrics')).text()).split('\n');
    const values = lines.filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
    return values.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  #ops(path: string): Promise<Response> {
    return fetch(`http://127.0.0.1:${this.#process?.ports.ops}/${path}`);
  }

  #leave(): Process | null {
    const process = this.#process;
    this.#process = null;
    if (process !== null) this.#earlier.push(...process.log);
    return process;
  }
}
