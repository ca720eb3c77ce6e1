import type { Process } from '#test/support/program/process.ts';
import { until } from '#test/support/runner/until.ts';
import { type ApiProxy, type Call, startApiProxy } from './api-proxy.ts';
import { type OperatorLab, startOperatorLab } from './operator-lab.ts';

const withinMs = 200_000;

/** Names a write by its target, such as `PATCH domains/d/status`. Null for reads and for calls about the Lease. */
function stepOf({ method, path }: Call): string | null {
  if (method === 'GET' || path.includes('/leases')) return null;
  return `${method} ${path.replace(/\?.*/, '').replace(/^.*\/namespaces\/[^/]+\//, '')}`;
}

/** Operator that is killed before or after writes to the Kubernetes API, and restarted each time. */
export class KilledOperator implements AsyncDisposable {
  readonly lab: OperatorLab;
  /** Points at which it is still to be killed, such as `before PATCH domains/d/status`. */
  #points = new Set<string>();
  readonly #proxy: ApiProxy;
  #operator: Process | null = null;
  #starting: Promise<void> = Promise.resolve();
  #isUp = false;

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

  /** Kills the operator at each point during `work` and its consequences, until `done` returns true. */
  async through(points: string[], work: () => Promise<unknown>, done: () => Promise<boolean>): Promise<void> {
    this.#points = new Set(points);
    await work();
    const holds = async () => {
      await this.#starting;
      return this.#points.size === 0 && done();
    };
    await until(holds, withinMs, 200).catch((error) => {
      throw new Error(`not killed at ${[...this.#points].join(', ')}`, { cause: error });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#starting;
    await this.#operator?.kill();
    await this.#proxy[Symbol.asyncDispose]();
    await this.lab[Symbol.asyncDispose]();
  }

  async #start(): Promise<void> {
    this.#operator = await this.lab.startOperator({ KUBECONFIG: this.#proxy.kubeconfig });
    this.#isUp = true;
  }

  /** Kills the operator at a point, and fails the call. */
  async #pass(moment: string, call: Call): Promise<void> {
    const step = stepOf(call);
    if (step === null) return;
    if (!this.#isUp) {
      // A call sent while dying has no effect, so the next process reaches the same points. A call already in progress has its
      // effect: the operator died after it, and no other process repeats it.
      if (moment === 'after') this.#points.delete(`${moment} ${step}`);
      throw new Error('it is dead');
    }
    if (!this.#points.delete(`${moment} ${step}`)) return;
    this.#isUp = false;
    await this.#operator?.kill();
    this.#starting = this.#start();
    throw new Error(`killed ${moment} ${step}`);
  }
}
