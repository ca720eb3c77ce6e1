import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { kubectl } from './kubernetes-binaries.ts';

/** A resource as kubectl shows it in JSON; what a test looks at is its to know. */
// biome-ignore lint/suspicious/noExplicitAny: the JSON of any kind
export type Json = any;

/** What a run of kubectl said. */
export type KubectlResult = { code: number; stdout: string; stderr: string };

/** kubectl as a user runs it, with one kubeconfig. */
export class Kubectl {
  readonly #kubeconfig: string;

  constructor(kubeconfig: string) {
    this.#kubeconfig = kubeconfig;
  }

  /** Runs it and gives what it said, whatever its exit code. */
  async try(args: string[], input = ''): Promise<KubectlResult> {
    const child = spawn(kubectl, ['--kubeconfig', this.#kubeconfig, ...args], { stdio: 'pipe' });
    child.stdin.end(input);
    const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await ended, stdout, stderr };
  }

  /** Gives its output; throws with what it said where it fails. */
  async run(...args: string[]): Promise<string> {
    return this.#checked(args, '');
  }

  /** Applies resources as a user's files would be. */
  async apply(...resources: object[]): Promise<void> {
    await this.#checked(['apply', '-f', '-'], listOf(resources));
  }

  /** The same for resources that are not there yet, with half the calls. */
  async create(...resources: object[]): Promise<void> {
    await this.#checked(['create', '-f', '-'], listOf(resources));
  }

  /** What the API server says of resources that it refuses. */
  async refusal(...resources: object[]): Promise<string> {
    const { code, stdout, stderr } = await this.try(['apply', '-f', '-'], listOf(resources));
    if (code === 0) throw new Error(`kubectl apply was not refused: ${stdout}`);
    return stderr;
  }

  /** A resource, or null where there is none. */
  async get(kind: string, namespace: string, name: string): Promise<Json | null> {
    const json = await this.run('get', kind, name, '-n', namespace, '-o', 'json', '--ignore-not-found');
    return json === '' ? null : JSON.parse(json);
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
