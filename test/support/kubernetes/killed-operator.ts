import type { Process } from '#test/support/program/process.ts';
import { until } from '#test/support/runner/until.ts';
import { type ApiProxy, type Call, startApiProxy } from './api-proxy.ts';
import { writeKubeconfig } from './api-server.ts';
import { type OperatorLab, startOperatorLab } from './operator-lab.ts';

const withinMs = 200_000;
/** On a machine that is busy elsewhere it is killed less often, so that a file's time is enough: so long a kill. */
const killForMs = 8_000;

/** A write by what it does, or null: reads, and what the Lease needs, are no steps. */
function stepOf({ method, path }: Call): string | null {
  if (method === 'GET' || path.includes('/leases')) return null;
  return `${method} ${path.replace(/\?.*/, '').replace(/^.*\/namespaces\/[^/]+\//, '')}`;
}

/** An operator that is killed before and after each of its writes to the Kubernetes API, and started again each time. */
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

  /** Kills it at up to `most` points while `work` and what follows from it go on, until `done` holds. */
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
    // A container that is started again has its pod's name, and so the Lease, at once.
    const settings = { KUBECONFIG: kubeconfig, SANDPOST_POD_NAME: 'operator-0' };
    this.#operator = await this.lab.startOperator(settings);
    this.#isUp = true;
  }

  /** Kills it the first time that it comes by a point, and lets the call come to nothing. */
  async #pass(moment: string, call: Call): Promise<void> {
    const step = stepOf(call);
    if (step === null || this.#stage === '') return;
    // What it sent as it died has no effect, so that its next life comes by the same points.
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
