import { setTimeout as pause } from 'node:timers/promises';
import { TooMany } from '#core/errors.ts';
import type { MailEvent } from '#core/events/event.ts';
import type { Page } from '#core/page.ts';
import type { MessageList } from './message.ts';
import { type MessageFilter, workOf } from './message-filter.ts';

export type Reading = (filter: MessageFilter, page: Page) => Promise<MessageList>;

type Result = { list: MessageList; met: boolean };

type Options = { filter: MessageFilter; anyEvent: boolean; page: Page; count: number; read: Reading };

/** Minimum time in ms between two reads that are caused by events. */
const paceMs = 50;

/**
 * Equal waits of one team. An event can add at most its own messages to the matches, so nothing is read until enough events have
 * occurred.
 */
export class Watch {
  readonly #options: Options;
  readonly #waiting = new Set<PromiseWithResolvers<MessageList>>();
  /** Number of messages that matched at the last read, and the team's event number at that time. */
  #total = 0;
  #cursor = 0;
  /** Events since the start of the last read that may have added a matching message. */
  #news = 0;
  /** True if an older message may match now. */
  #olderMayMatch = false;
  #running: Promise<Result> | null = null;
  #next: Promise<Result> | null = null;
  #lastReadAt = Number.NEGATIVE_INFINITY;
  #isReading = false;
  #stopped = false;

  constructor(options: Options) {
    this.#options = options;
  }

  /** Reads the page as soon as enough messages match, or when `ending` is aborted. */
  async join(ending: AbortSignal): Promise<Result> {
    const first = await this.#readShared();
    if (first.met || ending.aborted) return first;
    const waiter = Promise.withResolvers<MessageList>();
    const end = () => waiter.reject(ended);
    this.#waiting.add(waiter);
    ending.addEventListener('abort', end, { once: true });
    try {
      this.#readIfDue();
      return { list: await waiter.promise, met: true };
    } catch (error) {
      if (error !== ended) throw error;
      return await this.#readShared();
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
      if (event.type === 'message.updated') this.#olderMayMatch = true;
      this.#news += ('messageIds' in event && event.messageIds?.length) || 1;
    }
    this.#readIfDue();
  }

  noticeGap(): void {
    this.#news = Number.POSITIVE_INFINITY;
    this.#olderMayMatch = true;
    this.#readIfDue();
  }

  /** Compares an event's place with the filter. The event of an update names the message's new place. */
  #concerns({ accountId, mailboxId }: MailEvent): boolean {
    const { filter, anyEvent } = this.#options;
    if (anyEvent) return true;
    return (filter.accountId ?? accountId) === accountId && (filter.mailboxId ?? mailboxId) === mailboxId;
  }

  #mayBeMet(): boolean {
    const { filter, count } = this.#options;
    // Renaming a mailbox can add any number of messages.
    return filter.mailboxPath === undefined ? this.#total + this.#news >= count : this.#news > 0;
  }

  /** Reads while enough messages may match. After a quiet time, the first read is immediate. */
  #readIfDue(): void {
    if (this.#isReading || this.#waiting.size === 0 || !this.#mayBeMet()) return;
    this.#isReading = true;
    this.#readUntilMet()
      .catch((error) => {
        for (const waiter of this.#waiting) waiter.reject(error);
      })
      .finally(() => {
        this.#isReading = false;
      });
  }

  async #readUntilMet(): Promise<void> {
    while (this.#waiting.size > 0 && !this.#stopped && this.#mayBeMet()) {
      const early = this.#lastReadAt + paceMs - performance.now();
      if (early > 0) await pause(early);
      const found = await this.#readNews().catch((error) => {
        // The user currently has too many searches. The next round tries again.
        if (error instanceof TooMany) return null;
        throw error;
      });
      this.#lastReadAt = performance.now();
      if (found === null) continue;
      for (const waiter of this.#waiting) waiter.resolve(found);
      return;
    }
  }

  /**
   * Reads the page if enough messages match. If a full read is expensive, first reads only the messages that are new since the last read.
   * During a full read, the same messages would count twice, so another full read follows instead.
   */
  async #readNews(): Promise<MessageList | null> {
    const { filter, page, count, read } = this.#options;
    if (readsNewsFirst(filter) && !this.#olderMayMatch && this.#running === null) {
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
      // No message matched before, so the new messages are the whole list.
      if (onlyNews) return found;
    }
    const { list, met } = await this.#readShared();
    return met ? list : null;
  }

  /** Reads the page in a read that has not started yet. Calls during a read share the next one. */
  #readShared(): Promise<Result> {
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
    const { older, news } = { older: this.#olderMayMatch, news: this.#news };
    this.#olderMayMatch = false;
    this.#news = 0;
    try {
      const list = await read(filter, page);
      this.#total = list.total;
      this.#cursor = list.cursor;
      return { list, met: list.total >= count };
    } catch (error) {
      this.#olderMayMatch ||= older;
      this.#news += news;
      throw error;
    }
  }
}

const ended = Symbol('ended');

function noop(): void {}

/**
 * Checks whether to read only new messages first, because a full read is expensive. A path alone does not make it expensive, and
 * renaming a mailbox adds old messages.
 */
function readsNewsFirst(filter: MessageFilter): boolean {
  const work = workOf(filter);
  return work !== 'page' && (work !== 'index' || filter.mailboxPath === undefined);
}
