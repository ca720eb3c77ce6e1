import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import { createFairLimiter, type FairLimiter } from '#gate/fair-limiter.ts';
import type { Metrics } from '#telemetry/metrics.ts';

/**
 * Runs changes that users request, a few of each user at a time. A user who requests thousands at once delays nobody else.
 */
export class UserWrites {
  readonly #onFull: () => void;
  readonly #users = new Map<Id, { limiter: FairLimiter; members: number }>();

  constructor(metrics: Pick<Metrics, 'limitReached'>) {
    this.#onFull = () => metrics.limitReached('http.writes');
  }

  /** Runs `work` in the user's turn. Throws TooMany if too many changes of the user wait. */
  async run<T>(user: Id, work: () => Promise<T>): Promise<T> {
    const entry = this.#users.get(user) ?? { limiter: this.#limiter(), members: 0 };
    this.#users.set(user, entry);
    entry.members += 1;
    try {
      return await entry.limiter('', work);
    } finally {
      entry.members -= 1;
      if (entry.members === 0) this.#users.delete(user);
    }
  }

  #limiter(): FairLimiter {
    const { writesAtOnce: places, writes: waitingPerKey } = limits.http;
    return createFairLimiter({ places, waitingPerKey, onFull: this.#onFull });
  }
}
