import { FairQueue } from './fair-queue.ts';

/**
 * A queue of requests whose users are not known yet. Networks take turns, and within a network the credentials, so that
 * users behind one proxy do not wait for each other's requests.
 */
export class Arrivals<Item> {
  readonly #turns = new FairQueue<string>();
  readonly #byNetwork = new Map<string, FairQueue<Item>>();

  get size(): number {
    return this.#turns.size;
  }

  /** `network`: as `clientNetwork` gives it. `credential`: empty if it is missing or unknown. */
  push(network: string, credential: string, item: Item): void {
    const own = this.#byNetwork.get(network) ?? new FairQueue();
    this.#byNetwork.set(network, own);
    own.push(credential, item);
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
