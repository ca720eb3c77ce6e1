import { spawn } from 'node:child_process';
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { Agent, request } from 'node:https';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { kubectl } from './kubernetes-binaries.ts';

/** Resource as kubectl prints it in JSON. The test knows its shape. */
// biome-ignore lint/suspicious/noExplicitAny: the JSON of any kind
export type Json = any;

/** Exit code and output of a kubectl run. */
export type KubectlResult = { code: number; stdout: string; stderr: string };

const own = 'apis/sandpost.dev/v1alpha1';
/** Resources that tests request repeatedly. If the server is known, they are read without a process. */
const polled: Record<string, string> = {
  domain: own,
  account: own,
  apikey: own,
  member: own,
  mailexpectation: own,
  inbox: own,
  secret: 'api/v1',
};

/** Name of a kind in paths. */
const pluralOf = (kind: string) => `${kind}${kind.endsWith('x') ? 'es' : 's'}`;

/** API server as its administrator sees it. */
type Server = { url: string; ca: string; token: string };

/** kubectl as a user runs it, with one kubeconfig. */
export class Kubectl {
  readonly #kubeconfig: string;
  readonly #server: (Server & { agent: Agent }) | null;

  constructor(kubeconfig: string, server: Server | null = null) {
    this.#kubeconfig = kubeconfig;
    this.#server = server && { ...server, agent: new Agent({ ca: server.ca, keepAlive: true }) };
  }

  /** Runs kubectl and returns its result, whatever the exit code. */
  async try(args: string[], input = ''): Promise<KubectlResult> {
    const child = spawn(kubectl, ['--kubeconfig', this.#kubeconfig, ...args], { stdio: 'pipe' });
    // kubectl may end before it has read its input. Its exit code says more than EPIPE.
    child.stdin.on('error', () => {}).end(input);
    const ended = new Promise<number>((resolve) => child.once('close', (code) => resolve(code ?? -1)));
    const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr)]);
    return { code: await ended, stdout, stderr };
  }

  /** Runs kubectl and yields its output lines as they arrive. Ends kubectl when the reader stops. */
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

  /** Runs kubectl and returns its output. Throws with its error output if it fails. */
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

  /** Returns the API server's message for a new resource that it refuses, without a process. */
  async refusalOfNew(resource: Json): Promise<string> {
    const path = `${own}/namespaces/${resource.metadata.namespace}/${pluralOf(resource.kind.toLowerCase())}?fieldValidation=Strict`;
    const { status, said } = await this.#call('POST', path, JSON.stringify(resource));
    if (status < 400) throw new Error(`a resource was not refused: ${said}`);
    return JSON.parse(said).message;
  }

  /** Returns a resource, or null if it does not exist. */
  async get(kind: string, namespace: string, name: string): Promise<Json | null> {
    const folder = polled[kind];
    if (this.#server && folder)
      return this.#read(`${folder}/namespaces/${namespace}/${pluralOf(kind)}/${name}`);
    const json = await this.run('get', kind, name, '-n', namespace, '-o', 'json', '--ignore-not-found');
    return json === '' ? null : JSON.parse(json);
  }

  /** Waits until resources, such as `domain/app`, are ready. Throws after two minutes by default: the machine may be busy. */
  async ready(namespace: string, resources: string[], withinSeconds = 120): Promise<void> {
    const patience = `--timeout=${withinSeconds}s`;
    await this.run('wait', '-n', namespace, '--for=condition=Ready', patience, ...resources);
  }

  async list(kind: string, namespace: string): Promise<Json[]> {
    if (this.#server && kind === 'events')
      return (await this.#read(`api/v1/namespaces/${namespace}/events`)).items;
    return JSON.parse(await this.run('get', kind, '-n', namespace, '-o', 'json')).items;
  }

  /** Reads an API server path. Returns null if nothing is there. */
  async #read(path: string): Promise<Json | null> {
    const { status, said } = await this.#call('GET', path);
    if (status === 404) return null;
    if (status !== 200) throw new Error(`${path}: ${said}`);
    return JSON.parse(said);
  }

  async #call(method: string, path: string, body = ''): Promise<{ status: number; said: string }> {
    if (this.#server === null) throw new Error('the server is not known');
    const { url, agent, token } = this.#server;
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const asked = request(`${url}/${path}`, { agent, method, headers });
    asked.end(body);
    const [answer]: [IncomingMessage] = (await once(asked, 'response')) as [IncomingMessage];
    return { status: answer.statusCode ?? 0, said: await text(answer) };
  }

  async #checked(args: string[], input: string): Promise<string> {
    const { code, stdout, stderr } = await this.try(args, input);
    if (code !== 0) throw new Error(`kubectl ${args.join(' ')}: ${stderr}`);
    return stdout;
  }
}

const listOf = (resources: object[]) => JSON.stringify({ apiVersion: 'v1', kind: 'List', items: resources });
