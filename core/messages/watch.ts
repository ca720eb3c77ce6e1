import { setTimeout as pause } from 'node:timers/promises';
import { TooMany } from '#core/errors.ts';
import type { MailEvent } from '#core/events/event.ts';
import type { Page } from '#core/page.ts';
import type { MessageFilter, MessageList } from './message.ts';

export type Reading = (filter: MessageFilter, page: Page) => Promise<MessageList>;

type Result = { list: MessageList; met: boolean };

type Options = { filter: MessageFilter; anyEvent: boolean; page: Page; count: number; read: Reading };

/** Between two looks that events lead to. */
const paceMs = 50;

/**
 * Equal waits of one user. Events are counted: as each adds at most one message to those that match, nothing is read until
 * there may be enough.
 */
export class Watch {
  readonly #options: Options;
  readonly #waiting = new Set<PromiseWithResolvers<MessageList>>();
  /** How many messages matched at the last look, and the user's event number then. */
  #total = 0;
  #cursor = 0;
  /** Events since the last look began that may have added a message. */
  #news = 0;
  /** Whether messages up to the cursor may match by now that did not at the last look. */
  #moved = false;
  #running: Promise<Result> | null = null;
  #next: Promise<Result> | null = null;
  #lookedAt = Number.NEGATIVE_INFINITY;
  #looking = false;
  #stopped = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** The page once there are enough messages, or as it is when `ending` is aborted. */
  async join(ending: AbortSignal): Promise<Result> {
    const first = await this.#look();
    if (first.met || ending.aborted) return first;
    const waiter = Promise.withResolvers<MessageList>();
    const end = () => waiter.reject(ended);
    this.#waiting.add(waiter);
    ending.addEventListener('abort', end, { once: true });
    try {
      this.#consider();
      return { list: await waiter.promise, met: true };
    } catch (error) {
      if (error !== ended) throw error;
      return await this.#look();
    } finally {
      ending.removeEventListener('abort', end);
      this.#waiting.delete(waiter);
    }
  }

  stop(): void {
    this.#stopped = true;
  }

  notice(events: MailEvent[]): void {
    for (const event of events) {
      if (event.type === 'message.deleted' || !this.#concerns(event)) continue;
      this.#news += 1;
      if (event.type === 'message.updated') this.#moved = true;
    }
    this.#consider();
  }

  noticeGap(): void {
    this.#news = Number.POSITIVE_INFINITY;
    this.#moved = true;
    this.#consider();
  }

  /** An event of an update has the place where its message lies now. */
  #concerns({ accountId, mailboxId }: MailEvent): boolean {
    const { filter, anyEvent } = this.#options;
    if (anyEvent) return true;
    return (filter.accountId ?? accountId) === accountId && (filter.mailboxId ?? mailboxId) === mailboxId;
  }

  #mayBeMet(): boolean {
    const { filter, count } = this.#options;
    // A renamed mailbox brings any number of messages.
    return filter.mailboxPath === undefined ? this.#total + this.#news >= count : this.#news > 0;
  }

  /** Looks while there may be enough messages; the first look after a quiet time is at once. */
  #consider(): void {
    if (this.#looking || this.#waiting.size === 0 || !this.#mayBeMet()) return;
    this.#looking = true;
    this.#lookOn()
      .catch((error) => {
        for (const waiter of this.#waiting) waiter.reject(error);
      })
      .finally(() => {
        this.#looking = false;
      });
  }

  async #lookOn(): Promise<void> {
    while (this.#waiting.size > 0 && !this.#stopped && this.#mayBeMet()) {
      const early = this.#lookedAt + paceMs - performance.now();
      if (early > 0) await pause(early);
      const found = await this.#lookAtNews().catch((error) => {
        // Searches of the same user may be too many for the moment.
        if (error instanceof TooMany) return null;
        throw error;
      });
      this.#lookedAt = performance.now();
      if (found === null) continue;
      for (const waiter of this.#waiting) waiter.resolve(found);
      return;
    }
  }

  /** The page if there are enough messages. A search looks only at messages that came since the last look. */
  async #lookAtNews(): Promise<MessageList | null> {
    const { filter, page, count, read } = this.#options;
    if (isSearch(filter) && !this.#moved) {
      const news = this.#news;
      const onlyNews = this.#total === 0 && page.page === 1;
      const after = Math.max(filter.after ?? 0, this.#cursor);
      this.#news = 0;
      const found = await read({ ...filter, after }, onlyNews ? page : { page: 1, limit: 1 }).catch(
        (error) => {
          this.#news += news;
          throw error;
        },
      );
      this.#total += found.total;
      this.#cursor = found.cursor;
      if (this.#total < count) return null;
      // Nothing matched before: the new messages are all.
      if (onlyNews) return found;
    }
    const { list, met } = await this.#look();
    return met ? list : null;
  }

  /** Reads the page as it is now or later: calls that come while it is read share the next reading. */
  #look(): Promise<Result> {
    if (this.#running === null) return this.#read();
    this.#next ??= this.#running.then(noop, noop).then(() => {
      this.#next = null;
      return this.#read();
    });
    return this.#next;
  }

  #read(): Promise<Result> {
    this.#running = this.#readPage().finally(() => {
      this.#running = null;
    });
    return this.#running;
  }

  async #readPage(): Promise<Result> {
    const { filter, page, count, read } = this.#options;
    const { moved, news } = { moved: this.#moved, news: this.#news };
    this.#moved = false;
    this.#news = 0;
    try {
      const list = await read(filter, page);
      this.#total = list.total;
      this.#cursor = list.cursor;
      return { list, met: list.total >= count };
    } catch (error) {
      this.#moved ||= moved;
      this.#news += news;
      throw error;
    }
  }
}

const ended = Symbol('ended');

function noop(): void {}

/** Whether a look has to read messages rather than count them. */
function isSearch({ words, to, from, subject }: MessageFilter): boolean {
  return Boolean(words?.length) || [to, from, subject].some((part) => part !== undefined);
}
