import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { kubectl } from './kubernetes-binaries.ts';

/** Resource as kubectl prints it in JSON. The test knows its shape. */
// biome-ignore lint/suspicious/noExplicitAny: the JSON of any kind
export type Json = any;

/** Exit code and output of a run of kubectl. */
export type KubectlResult = { code: number; stdout: string; stderr: string };

/** kubectl as a user runs it, with one kubeconfig. */
export class Kubectl {
  readonly #kubeconfig: string;

  constructor(kubeconfig: string) {
    this.#kubeconfig = kubeconfig;
  }

  /** Runs kubectl and gives its result, whatever the exit code. */
  async try(args: string[], input = ''): Promise<KubectlResult> {
    const child = spawn(kubectl, ['--kubeconfig', this.#kubeconfig, ...args], { stdio: 'pipe' });
    // kubectl may end before it has read its input. Its exit code tells more than EPIPE.
    child.stdin.on('error', () => {}).end(input);
    const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await ended, stdout, stderr };
  }

  /** Runs kubectl and gives the lines of its output as they come. Ends kubectl when the reader leaves. */
  async *follow(...args: string[]): AsyncGenerator<string> {
    const child = spawn(kubectl, ['--kubeconfig', this.#kubeconfig, ...args], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      yield* createInterface(child.stdout);
    } finally {
      child.kill();
    }
  }

  /** Runs kubectl and gives its output. Throws with its error output if it fails. */
  async run(...args: string[]): Promise<string> {
    return this.#checked(args, '');
  }

  /** Applies resources, as a user applies files. */
  async apply(...resources: object[]): Promise<void> {
    await this.#checked(['apply', '-f', '-'], listOf(resources));
  }

  /** Creates resources that do not exist yet, with half the calls of `apply`. */
  async create(...resources: object[]): Promise<void> {
    await this.#checked(['create', '-f', '-'], listOf(resources));
  }

  /** Returns the API server's message for resources that it refuses. */
  async refusal(...resources: object[]): Promise<string> {
    const { code, stdout, stderr } = await this.try(['apply', '-f', '-'], listOf(resources));
    if (code === 0) throw new Error(`kubectl apply was not refused: ${stdout}`);
    return stderr;
  }

  /** Returns a resource, or null if there is none. */
  async get(kind: string, namespace: string, name: string): Promise<Json | null> {
    const json = await this.run('get', kind, name, '-n', namespace, '-o', 'json', '--ignore-not-found');
    return json === '' ? null : JSON.parse(json);
  }

  /** Waits until resources, such as `domain/app`, are ready. */
  async ready(namespace: string, resources: string[], withinSeconds = 60): Promise<void> {
    const patience = `--timeout=${withinSeconds}s`;
    await this.run('wait', '-n', namespace, '--for=condition=Ready', patience, ...resources);
  }

  async list(kind: string, namespace: string): Promise<Json[]> {
    return JSON.parse(await this.run('get', kind, '-n', namespace, '-o', 'json')).items;
  }

  async #checked(args: string[], input: string): Promise<string> {
    const { code, stdout, stderr } = await this.try(args, input);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  }
}

const listOf = (resources: object[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items: resources });
