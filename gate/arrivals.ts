import { FairQueue } from './fair-queue.ts';

/**
 * A queue of requests that are to be begun. Networks take turns, and the users within a network, so that users behind one
 * proxy do not wait for each other's requests.
 */
export class Arrivals<Item> {
  readonly #turns = new FairQueue<string>();
  readonly #byNetwork = new Map<string, FairQueue<Item, number | null>>();

  get size(): number {
    return this.#turns.size;
  }

  /** `network`: as `clientNetwork` gives it. `userId`: null if it is not known. */
  push(network: string, userId: number | null, item: Item): void {
    const own = this.#byNetwork.get(network) ?? new FairQueue();
    this.#byNetwork.set(network, own);
    own.push(userId, item);
    this.#turns.push(network, network);
  }

  shift(): Item | undefined {
    const network = this.#turns.shift();
    if (network === undefined) return undefined;
    const own = this.#byNetwork.get(network);
    const item = own?.shift();
    if (own?.size === 0) this.#byNetwork.delete(network);
    return item;
  }
}
