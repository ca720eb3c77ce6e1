import type { Process } from '#test/support/program/process.ts';
import { until } from '#test/support/runner/until.ts';
import { type ApiProxy, type Call, startApiProxy } from './api-proxy.ts';
import { writeKubeconfig } from './api-server.ts';
import { type OperatorLab, startOperatorLab } from './operator-lab.ts';

const withinMs = 200_000;
/** Time in ms allowed for one kill. A busy machine makes fewer kills, so that the file's time limit suffices. */
const killForMs = 8_000;

/** Names a write by its effect. Null for reads and for calls of the Lease, which are no steps. */
function stepOf({ method, path }: Call): string | null {
  if (method === 'GET' || path.includes('/leases')) return null;
  return `${method} ${path.replace(/\?.*/, '').replace(/^.*\/namespaces\/[^/]+\//, '')}`;
}

/** Operator that is killed before and after each of its writes to the Kubernetes API, and restarted each time. */
export class KilledOperator implements AsyncDisposable {
  readonly lab: OperatorLab;
  /** Points at which it was killed. */
  readonly points = new Set<string>();
  readonly #proxy: ApiProxy;
  #operator: Process | null = null;
  #starting: Promise<void> = Promise.resolve();
  #isUp = false;
  #stage = '';
  #most = 0;
  #killUntil = 0;

  private constructor(lab: OperatorLab, proxy: ApiProxy) {
    this.lab = lab;
    this.#proxy = proxy;
    proxy.before = (call) => this.#pass('before', call);
    proxy.after = (call) => this.#pass('after', call);
  }

  static async start(): Promise<KilledOperator> {
    const lab = await startOperatorLab();
    const killed = new KilledOperator(lab, await startApiProxy(lab.server));
    await killed.#start();
    return killed;
  }

  /** Kills the operator at up to `most` points during `work` and its consequences, until `done` gives true. */
  async through(
    stage: string,
    most: number,
    work: () => Promise<unknown>,
    done: () => Promise<boolean>,
  ): Promise<void> {
    this.#stage = stage;
    this.#most = this.points.size + most;
    this.#killUntil = performance.now() + most * killForMs;
    await work();
    const holds = async () => {
      await this.#starting;
      return done();
    };
    await until(holds, withinMs, 200);
    this.#stage = '';
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#starting;
    await this.#operator?.kill();
    await this.#proxy[Symbol.asyncDispose]();
    await this.lab[Symbol.asyncDispose]();
  }

  async #start(): Promise<void> {
    const { folder, operatorToken: token } = this.lab.server;
    const kubeconfig = await writeKubeconfig(`${folder}/through-proxy`, { url: this.#proxy.url, token });
    // A restarted container has the name of its pod, and so gets the Lease at once.
    const settings = { KUBECONFIG: kubeconfig, SANDPOST_POD_NAME: 'operator-0' };
    this.#operator = await this.lab.startOperator(settings);
    this.#isUp = true;
  }

  /** Kills the operator when it reaches a new point, and fails the call. */
  async #pass(moment: string, call: Call): Promise<void> {
    const step = stepOf(call);
    if (step === null || this.#stage === '') return;
    // A call sent while dying has no effect, so that the next process reaches the same points.
    if (!this.#isUp) throw new Error('it is dead');
    const point = `${this.#stage}: ${moment} ${step}`;
    if (this.points.has(point) || this.points.size >= this.#most) return;
    if (performance.now() > this.#killUntil) return;
    this.#isUp = false;
    this.points.add(point);
    await this.#operator?.kill();
    this.#starting = this.#start();
    throw new Error(`killed at ${point}`);
  }
}
