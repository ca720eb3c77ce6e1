import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { createFairLimiter, type FairLimiter } from '#gate/fair-limiter.ts';

/** Turns of requests to each host: few at a time, users in turn. */
export class HostTurns {
  /** Hosts with requests, and their number. */
  readonly #hosts = new Map<string, { limiter: FairLimiter; requests: number }>();

  async inTurn<T>(host: string, user: Id, work: () => Promise<T>): Promise<T> {
    const known = this.#hosts.get(host);
    const turns = known ?? {
      limiter: createFairLimiter({ places: limits.outbound.atOncePerHost }),
      requests: 0,
    };
    this.#hosts.set(host, turns);
    turns.requests += 1;
    try {
      return await turns.limiter(String(user), work);
    } finally {
      turns.requests -= 1;
      if (turns.requests === 0) this.#hosts.delete(host);
    }
  }
}
