import { isRefusedOrGone } from './api-errors.ts';
import { backoffMs } from './backoff.ts';
import { pause } from './pause.ts';
import type { Resource } from './resources.ts';

/** Where an informer has its resources from. */
export type ListWatch<R> = {
  list(): Promise<{ items: R[]; resourceVersion: string }>;
  /** Hands on what happens after `resourceVersion` until it ends; `onEnd` has an error unless it ended in order. */
  watch(
    resourceVersion: string,
    onEvent: (type: string, object: R & { code?: number; message?: string }) => void,
    onEnd: (error: unknown) => void,
  ): Promise<AbortController>;
};

export type InformerOptions<R> = {
  source: ListWatch<R>;
  /** Hears of each resource that is new, changed or gone, and of all of them at each list. */
  onChange: (resource: R) => void;
  onTrouble: (error: unknown) => void;
  /** All is listed again so often: what a watch has lost is found then. */
  relistMs: number;
  now?: () => number;
};

const retry = { baseMs: 1000, capMs: 30_000 };
/** A watch that ends sooner than this without a word was not worth hurrying for. */
const shortMs = 1000;

/** A copy of the resources of one kind that follows the API server, whatever becomes of its connections. */
export class Informer<R extends Resource> {
  readonly #options: Required<InformerOptions<R>>;
  readonly #resources = new Map<string, R>();
  #listedAt: number | null = null;
  #refused = false;
  #version = '';

  constructor(options: InformerOptions<R>) {
    this.#options = { now: () => performance.now(), ...options };
  }

  /** When it last listed all, by `now`; null before the first time. */
  get listedAt(): number | null {
    return this.#listedAt;
  }

  /** Whether the API server last refused the list: a named namespace is gone, or its Role is. */
  get refused(): boolean {
    return this.#refused;
  }

  get(namespace: string, name: string): R | undefined {
    return this.#resources.get(`${namespace}/${name}`);
  }

  all(): R[] {
    return [...this.#resources.values()];
  }

  /** Takes over what our own write gave back, so that the next look does not see the state before it. */
  put(resource: R): void {
    const { namespace, name } = resource.metadata;
    if (this.#resources.has(`${namespace}/${name}`)) this.#resources.set(`${namespace}/${name}`, resource);
  }

  /** Lists and watches until `signal`. An error of any sort makes it list again, later and later. */
  async run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.#list();
        failures = 0;
        await this.#watchUntil(this.#options.now() + this.#options.relistMs, signal);
      } catch (error) {
        if (signal.aborted) return;
        this.#refused = isRefusedOrGone(error);
        failures++;
        this.#options.onTrouble(error);
        await pause(backoffMs(failures, retry), signal);
      }
    }
  }

  async #list(): Promise<void> {
    const { items, resourceVersion } = await this.#options.source.list();
    const gone = new Map(this.#resources);
    this.#resources.clear();
    for (const item of items) {
      const key = keyOf(item);
      this.#resources.set(key, item);
      gone.delete(key);
    }
    this.#version = resourceVersion;
    this.#listedAt = this.#options.now();
    this.#refused = false;
    for (const resource of [...gone.values(), ...items]) this.#options.onChange(resource);
  }

  async #watchUntil(relistAt: number, signal: AbortSignal): Promise<void> {
    const { now } = this.#options;
    while (!signal.aborted && now() < relistAt) {
      const begun = now();
      const before = this.#version;
      await this.#watch(AbortSignal.any([signal, AbortSignal.timeout(Math.ceil(relistAt - begun))]));
      const wasShort = now() - begun < shortMs && before === this.#version;
      if (wasShort) await pause(backoffMs(1, retry), signal);
    }
  }

  /** One watch, until it ends in order, by its own silence or by `signal`. Throws for any other end. */
  #watch(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onEnd = (error: unknown) => {
        const isSilence = error instanceof Error && error.name === 'TimeoutError';
        if (!error || isSilence || signal.aborted) resolve();
        else reject(error);
      };
      const onEvent = (type: string, object: R & { code?: number; message?: string }) => {
        if (type === 'ERROR') {
          reject(new Error(`the watch broke off: ${object.code ?? ''} ${object.message ?? ''}`));
        } else this.#take(type, object);
      };
      this.#options.source.watch(this.#version, onEvent, onEnd).then((controller) => {
        const stop = () => {
          controller.abort();
          resolve();
        };
        if (signal.aborted) stop();
        else signal.addEventListener('abort', stop, { once: true });
      }, reject);
    });
  }

  #take(type: string, resource: R): void {
    this.#version = resource.metadata.resourceVersion;
    if (type === 'BOOKMARK') return;
    const known = this.#resources.get(keyOf(resource));
    if (type === 'DELETED') this.#resources.delete(keyOf(resource));
    // Our own write gave back this version or a newer one, whose turn in the watch comes.
    else if (known !== undefined && !isNewer(resource, known)) return;
    else this.#resources.set(keyOf(resource), resource);
    this.#options.onChange(resource);
  }
}

const keyOf = ({ metadata }: Resource) => `${metadata.namespace}/${metadata.name}`;

/** Versions grow in one API server's store; where they are no numbers, another one counts as newer. */
function isNewer(one: Resource, other: Resource): boolean {
  const [version, before] = [one.metadata.resourceVersion, other.metadata.resourceVersion];
  return version !== before && !(Number(version) < Number(before));
}
