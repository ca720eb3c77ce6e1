import type { Journal } from '#core/events/event.ts';
import type { Feed } from '#core/events/feed.ts';
import type { Id } from '#core/ids.ts';
import { LinkedController } from '#core/linked-controller.ts';
import type { Page } from '#core/page.ts';
import type { MessageList } from './message.ts';
import type { MessageFilter } from './message-filter.ts';
import { type Reading, Watch } from './watch.ts';

/** Party that a wait counts for: the user, and the API key in use, or null for a session. */
export type Waiter = { userId: Id; keyId: Id | null };

/**
 * Conditions for a wait. The wait counts toward the limit of `waiter`. It ends when `count` messages match, after `waitMs`, or when
 * `signal` is aborted.
 */
export type WaitTerms = { waiter: Waiter; count: number; waitMs: number; signal: AbortSignal };

/** Page of messages. `met` is true if the number of matching messages that the wait requested was reached. */
export type Waited = { list: MessageList; met: boolean };

/** Filter that a wait uses. `anyEvent`: events in other mailboxes may bring messages into the scope. */
type WaitFor = { filter: MessageFilter; anyEvent: boolean };

type WaitPorts = {
  feed: Pick<Feed, 'follow'>;
  journal: Pick<Journal, 'heads'>;
  /** Takes a slot and returns a function that frees it. Throws TooManyWaits if no slot is free. */
  enter(waiter: Waiter): () => void;
  list(owner: Id, filter: MessageFilter, page: Page): Promise<MessageList>;
};

export type Waits = ReturnType<typeof createWaits>;

export function createWaits(ports: WaitPorts) {
  const owners = new Map<Id, OwnedWaits>();
  return {
    /**
     * Reads the page as soon as `count` messages match the filter that `start` returns, or after `waitMs`, or when `signal` is aborted.
     * Throws TooManyWaits if the waiter has too many waits.
     */
    async wait(owner: Id, start: () => Promise<WaitFor>, page: Page, terms: WaitTerms): Promise<Waited> {
      const leave = ports.enter(terms.waiter);
      const owned = owners.get(owner) ?? new OwnedWaits(ports, owner);
      owners.set(owner, owned);
      owned.size += 1;
      try {
        return await owned.wait(start, page, terms);
      } finally {
        leave();
        owned.size -= 1;
        if (owned.size === 0) {
          owned.stop();
          owners.delete(owner);
        }
      }
    },
  };
}

/**
 * Waits for one owner's messages. The waits share one subscription to the journal, and equal waits share a `Watch`. Reads run one at a
 * time.
 */
class OwnedWaits {
  size = 0;
  readonly #ports: WaitPorts;
  readonly #owner: Id;
  readonly #watches = new Map<string, { watch: Watch; members: number }>();
  #ready: Promise<void> | null = null;
  #following: { stop(): void } | null = null;
  #stopped = false;
  #last: Promise<unknown> = Promise.resolve();

  constructor(ports: WaitPorts, owner: Id) {
    this.#ports = ports;
    this.#owner = owner;
  }

  async wait(start: () => Promise<WaitFor>, page: Page, terms: WaitTerms): Promise<Waited> {
    using ending = new LinkedController(terms.signal, terms.waitMs);
    const wanted = await start();
    // Follows events before the first read, so mail that arrives in between is noticed.
    await this.#follow();
    const key = JSON.stringify([wanted, page, terms.count]);
    const entry = this.#watches.get(key) ?? { watch: this.#watch(wanted, page, terms.count), members: 0 };
    this.#watches.set(key, entry);
    entry.members += 1;
    try {
      return await entry.watch.join(ending.signal);
    } finally {
      entry.members -= 1;
      if (entry.members === 0) {
        entry.watch.stop();
        this.#watches.delete(key);
      }
    }
  }

  stop(): void {
    this.#stopped = true;
    this.#following?.stop();
  }

  #watch(wanted: WaitFor, page: Page, count: number): Watch {
    const read: Reading = (filter, shown) =>
      this.#inOrder(() => this.#ports.list(this.#owner, filter, shown));
    return new Watch({ ...wanted, page, count, read });
  }

  #inOrder<T>(read: () => Promise<T>): Promise<T> {
    const result = this.#last.then(read);
    this.#last = result.catch(() => {});
    return result;
  }

  #follow(): Promise<void> {
    this.#ready ??= this.#begin().catch((error) => {
      this.#ready = null;
      throw error;
    });
    return this.#ready;
  }

  async #begin(): Promise<void> {
    const head = (await this.#ports.journal.heads([this.#owner])).get(this.#owner) ?? 0;
    if (this.#stopped) return;
    this.#following = this.#ports.feed.follow(this.#owner, head, {
      onEvents: (events) => this.#tell((watch) => watch.notice(events)),
      onGap: () => this.#tell((watch) => watch.noticeGap()),
    });
  }

  #tell(tell: (watch: Watch) => void): void {
    for (const { watch } of this.#watches.values()) tell(watch);
  }
}
