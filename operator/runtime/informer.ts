import { isRefusedOrGone, statusCodeOf } from './api-errors.ts';
import { backoffMs, pause } from './backoff.ts';
import type { Resource } from './resource.ts';

/** Lists and watches resources of one kind. */
export type ListWatch<R> = {
  list(): Promise<{ items: R[]; resourceVersion: string }>;
  /** Passes on changes after `resourceVersion`. Calls `onEnd` when the watch ends, with an error unless it ended normally. */
  watch(
    resourceVersion: string,
    onEvent: (type: string, object: R & { code?: number; message?: string }) => void,
    onEnd: (error: unknown) => void,
  ): Promise<AbortController>;
};

export type InformerOptions<R> = {
  source: ListWatch<R>;
  /**
   * Called for each resource that is new, changed or deleted, and after each list for all resources. `isCreated`: a watch has just
   * reported the creation.
   */
  onChange: (resource: R, isCreated: boolean) => void;
  /**
   * Called with each failure, but in a series of refusals only with the first. Called with null if, after a refusal, a watch works again
   * or the informer stops.
   */
  onError: (error: unknown) => void;
  /** Interval in ms between full lists, which find changes that a watch has missed. */
  relistMs: number;
};

const retry = { baseMs: 1000, capMs: 30_000 };
/**
 * Back-off while a permission is missing. The first attempts follow each other quickly, because a Role may be created after the operator.
 */
const retryForbidden = { baseMs: 1000, capMs: 300_000 };
/** Minimum duration in ms of a watch without events after which the next watch starts immediately. */
const minWatchMs = 1000;

/** Local copy of one kind's resources. Lists and watches keep the copy up to date despite connection failures. */
export class Informer<R extends Resource> {
  readonly #options: InformerOptions<R>;
  readonly #resources = new Map<string, R>();
  #listedAt: number | null = null;
  #refused = false;
  #failingSince: number | null = null;
  /** Number of refusals since a watch last worked. */
  #refusals = 0;
  #version = '';

  constructor(options: InformerOptions<R>) {
    this.#options = options;
  }

  /** Time of the last full list, by `performance.now`, or null before the first one. */
  get listedAt(): number | null {
    return this.#listedAt;
  }

  /**
   * True after a list that the API server refused, as it does once a namespace or its Role has been deleted, until a list succeeds again.
   */
  get refused(): boolean {
    return this.#refused;
  }

  /** Returns false while lists are refused, or if lists have failed for `ms`, because the copy may be outdated. */
  isCurrent(ms: number): boolean {
    const isFailing = this.#failingSince !== null && performance.now() - this.#failingSince > ms;
    return !this.#refused && !isFailing;
  }

  get(namespace: string, name: string): R | undefined {
    return this.#resources.get(`${namespace}/${name}`);
  }

  all(): R[] {
    return [...this.#resources.values()];
  }

  /**
   * Replaces a resource's copy with the result of a write, so the next reconciliation does not see an older state. Reports changes by
   * others that the result contains, such as a deletion: the watch will deliver them as an older version, which `#apply` drops.
   */
  put(resource: R): void {
    const known = this.#resources.get(nameOf(resource));
    if (known === undefined) return;
    this.#resources.set(nameOf(resource), resource);
    if (known.metadata.generation !== resource.metadata.generation) this.#options.onChange(resource, false);
  }

  /** Lists and watches until `signal` is aborted. After any error, lists again with back-off. */
  async run(signal: AbortSignal): Promise<void> {
    let failures = 0;
    while (!signal.aborted) {
      try {
        await this.#list();
        failures = 0;
        await this.#watchUntil(performance.now() + this.#options.relistMs, signal);
      } catch (error) {
        if (signal.aborted) break;
        const isRefusal = isRefusedOrGone(error);
        this.#refused ||= isRefusal;
        this.#failingSince ??= performance.now();
        failures++;
        if (isRefusal) this.#refusals++;
        if (!isRefusal || this.#refusals === 1) this.#options.onError(error);
        const isForbidden = statusCodeOf(error) === 403;
        const pauseMs = isForbidden ? backoffMs(this.#refusals, retryForbidden) : backoffMs(failures, retry);
        await pause(pauseMs, signal);
      }
    }
    this.#endRefusals();
  }

  async #list(): Promise<void> {
    const { items, resourceVersion } = await this.#options.source.list();
    const gone = new Map(this.#resources);
    this.#resources.clear();
    for (const item of items) {
      const key = nameOf(item);
      this.#resources.set(key, item);
      gone.delete(key);
    }
    this.#version = resourceVersion;
    this.#listedAt = performance.now();
    this.#refused = false;
    this.#failingSince = null;
    for (const resource of [...gone.values(), ...items]) this.#options.onChange(resource, false);
  }

  async #watchUntil(relistAt: number, signal: AbortSignal): Promise<void> {
    while (!signal.aborted && performance.now() < relistAt) {
      const begun = performance.now();
      const before = this.#version;
      // In Node 24.16 and newer, `AbortSignal.any` may lose an abort that happens before a listener is added (nodejs/node#65995).
      const ending = new AbortController();
      const end = () => ending.abort();
      const timer = setTimeout(end, relistAt - begun);
      signal.addEventListener('abort', end, { once: true });
      await this.#watch(ending.signal).finally(() => {
        clearTimeout(timer);
        signal.removeEventListener('abort', end);
      });
      this.#endRefusals();
      const wasShort = performance.now() - begun < minWatchMs && before === this.#version;
      if (wasShort) await pause(backoffMs(1, retry), signal);
    }
  }

  /** Runs one watch until it ends normally, by silence or by `signal`. Throws if it ends for any other reason. */
  #watch(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const onEnd = (error: unknown) => {
        const isSilence = error instanceof Error && error.name === 'TimeoutError';
        if (!error || isSilence || signal.aborted) resolve();
        else reject(error);
      };
      const onEvent = (type: string, object: R & { code?: number; message?: string }) => {
        if (type === 'ERROR') {
          reject(new Error(`the watch failed: ${object.code ?? ''} ${object.message ?? ''}`));
        } else this.#apply(type, object);
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

  #endRefusals(): void {
    if (this.#refusals > 0) this.#options.onError(null);
    this.#refusals = 0;
  }

  #apply(type: string, resource: R): void {
    this.#endRefusals();
    this.#version = resource.metadata.resourceVersion;
    if (type === 'BOOKMARK') return;
    const known = this.#resources.get(nameOf(resource));
    if (type === 'DELETED') this.#resources.delete(nameOf(resource));
    // The copy already has this version, or a newer version from `put`. The watch will deliver the newer version later.
    else if (known !== undefined && !isNewer(resource, known)) return;
    else this.#resources.set(nameOf(resource), resource);
    this.#options.onChange(resource, type === 'ADDED');
  }
}

const nameOf = ({ metadata }: Resource) => `${metadata.namespace}/${metadata.name}`;

/** Compares resource versions, which increase. If a version is not a number, it counts as newer if it differs. */
function isNewer(one: Resource, other: Resource): boolean {
  const [version, before] = [one.metadata.resourceVersion, other.metadata.resourceVersion];
  return version !== before && !(Number(version) < Number(before));
}
