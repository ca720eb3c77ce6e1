import { backoffMs } from './backoff.ts';

export type WorkQueueOptions<Item> = {
  nameOf: (item: Item) => string;
  /** Processes one item. Returns the delay until the next time, ms, or null. */
  work: (item: Item) => Promise<number | null>;
  /** Called after a failure. Returns the shortest delay until the next try, ms. */
  onFailure: (item: Item, error: unknown) => number;
  workers: number;
  random?: () => number;
};

const retry = { baseMs: 200, capMs: 30_000 };

type Entry<Item> = {
  item: Item;
  state: 'idle' | 'waiting' | 'working' | 'again';
  failures: number;
  timer?: NodeJS.Timeout;
};

/**
 * Queue of items without duplicates. One worker at most processes an item. An item added during its processing is
 * processed once more. A failed item is tried again with back-off.
 */
export class WorkQueue<Item> {
  readonly #options: WorkQueueOptions<Item>;
  readonly #entries = new Map<string, Entry<Item>>();
  readonly #waiting: Entry<Item>[] = [];
  readonly #underWay = new Set<Promise<void>>();
  #stopped = false;

  constructor(options: WorkQueueOptions<Item>) {
    this.#options = options;
  }

  /** Number of items that wait for a worker. */
  get depth(): number {
    return this.#waiting.length;
  }

  /** Queues an item for the next free worker. */
  add(item: Item): void {
    if (this.#stopped) return;
    const name = this.#options.nameOf(item);
    const entry = this.#entries.get(name) ?? { item, state: 'idle', failures: 0 };
    this.#entries.set(name, entry);
    if (entry.state === 'working') entry.state = 'again';
    if (entry.state !== 'idle') return;
    entry.state = 'waiting';
    this.#waiting.push(entry);
    this.#fill();
  }

  /** Queues an item after a delay, in place of an earlier delay of the same item. */
  addAfter(item: Item, ms: number): void {
    if (this.#stopped) return;
    const name = this.#options.nameOf(item);
    const entry = this.#entries.get(name) ?? { item, state: 'idle', failures: 0 };
    this.#entries.set(name, entry);
    clearTimeout(entry.timer);
    entry.timer = setTimeout(() => this.add(item), ms);
  }

  /** Starts no item any more and waits for those that are being processed. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.length = 0;
    for (const { timer } of this.#entries.values()) clearTimeout(timer);
    await Promise.all(this.#underWay);
  }

  #fill(): void {
    while (this.#underWay.size < this.#options.workers) {
      const entry = this.#waiting.shift();
      if (entry === undefined) return;
      const run = this.#run(entry).finally(() => {
        this.#underWay.delete(run);
        this.#fill();
      });
      this.#underWay.add(run);
    }
  }

  async #run(entry: Entry<Item>): Promise<void> {
    const { item } = entry;
    const { work, onFailure, random = Math.random } = this.#options;
    entry.state = 'working';
    clearTimeout(entry.timer);
    let laterMs: number | null;
    try {
      laterMs = await work(item);
      entry.failures = 0;
    } catch (error) {
      entry.failures++;
      laterMs = Math.max(onFailure(item, error), backoffMs(entry.failures, { ...retry, random }));
    }
    const again = (entry.state as Entry<Item>['state']) === 'again';
    entry.state = 'idle';
    if (again && entry.failures === 0) this.add(item);
    else if (laterMs !== null) this.addAfter(item, laterMs);
    else this.#entries.delete(this.#options.nameOf(item));
  }
}
