import { backoffMs } from './backoff.ts';

export type WorkQueueOptions<Item> = {
  nameOf: (item: Item) => string;
  /** Returns the name of the party that an item belongs to. */
  partyOf: (item: Item) => string;
  /** Runs work when it is the party's turn. Limits how much work runs at a time. */
  inTurn: (party: string, work: () => Promise<void>) => Promise<void>;
  /** Processes one item. Returns the delay in ms until the item is due again, or null. */
  work: (item: Item) => Promise<number | null>;
  /** Called after a failure. Returns the minimum delay in ms before the next attempt. */
  onFailure: (item: Item, error: unknown) => number;
  random?: () => number;
};

const retry = { baseMs: 200, capMs: 30_000 };

type Entry<Item> = {
  item: Item;
  state: 'idle' | 'waiting' | 'working' | 'again';
  isUrgent: boolean;
  failures: number;
  timer?: NodeJS.Timeout;
};

/**
 * Waiting items of one party, in order. The party has a turn waiting in the queue for each of them. `contested` counts the turns for
 * which both kinds of items were waiting.
 */
type Line<Item> = { urgent: Set<Entry<Item>>; usual: Set<Entry<Item>>; contested: number };

/** Interval of turns that a usual item gets while its party's urgent items wait: every fourth turn. */
const usualEvery = 4;

/**
 * Queue of items without duplicates. An item is never processed twice at the same time: if it is added while it is being processed, it is
 * processed again afterward. A failed item is retried with back-off.
 */
export class WorkQueue<Item> {
  readonly #options: WorkQueueOptions<Item>;
  readonly #entries = new Map<string, Entry<Item>>();
  readonly #lines = new Map<string, Line<Item>>();
  readonly #underWay = new Set<Promise<void>>();
  #stopped = false;

  constructor(options: WorkQueueOptions<Item>) {
    this.#options = options;
  }

  /** Number of items that are waiting for their turn. */
  get depth(): number {
    let waiting = 0;
    for (const { urgent, usual } of this.#lines.values()) waiting += urgent.size + usual.size;
    return waiting;
  }

  /** Queues an item for its party's turn. An urgent item usually comes before the party's other items. */
  add(item: Item, isUrgent = false): void {
    if (this.#stopped) return;
    const entry = this.#entryOf(item);
    entry.isUrgent ||= isUrgent;
    if (entry.state === 'working') entry.state = 'again';
    if (entry.state === 'again') return;
    const party = this.#options.partyOf(item);
    this.#lineUp(party, entry);
    if (entry.state === 'waiting') return;
    entry.state = 'waiting';
    const run = this.#options.inTurn(party, () => this.#runNext(party));
    this.#underWay.add(run);
    run.finally(() => this.#underWay.delete(run));
  }

  /** Queues an item after a delay. Replaces an earlier delay of the same item. */
  addAfter(item: Item, ms: number): void {
    if (this.#stopped) return;
    const entry = this.#entryOf(item);
    clearTimeout(entry.timer);
    entry.timer = setTimeout(() => this.add(item), ms);
  }

  /** Stops starting items, and waits until those being processed are finished. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#lines.clear();
    for (const { timer } of this.#entries.values()) clearTimeout(timer);
    await Promise.all(this.#underWay);
  }

  #entryOf(item: Item): Entry<Item> {
    const name = this.#options.nameOf(item);
    const entry = this.#entries.get(name) ?? { item, state: 'idle', isUrgent: false, failures: 0 };
    this.#entries.set(name, entry);
    return entry;
  }

  /** Adds an entry to its party's line. An entry that is already waiting keeps its place unless it has become urgent. */
  #lineUp(party: string, entry: Entry<Item>): void {
    const line = this.#lines.get(party) ?? { urgent: new Set(), usual: new Set(), contested: 0 };
    this.#lines.set(party, line);
    if (!entry.isUrgent) line.usual.add(entry);
    else {
      line.usual.delete(entry);
      line.urgent.add(entry);
    }
  }

  async #runNext(party: string): Promise<void> {
    const line = this.#lines.get(party);
    if (line === undefined) return;
    const { urgent, usual } = line;
    if (urgent.size > 0 && usual.size > 0) line.contested++;
    const isUsual = urgent.size === 0 || (usual.size > 0 && line.contested % usualEvery === 0);
    const [entry] = isUsual ? usual : urgent;
    if (entry === undefined) return;
    urgent.delete(entry);
    usual.delete(entry);
    if (urgent.size + usual.size === 0) this.#lines.delete(party);
    await this.#run(entry);
  }

  async #run(entry: Entry<Item>): Promise<void> {
    const { item } = entry;
    const { work, onFailure, random = Math.random } = this.#options;
    entry.state = 'working';
    entry.isUrgent = false;
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
