import { batch, signal } from '@preact/signals';
import type { Client } from '../client/client.ts';
import type { MessageList, MessageSummary } from '../client/shapes.ts';
import { type Filter, queryOf } from '../place-url.ts';
import { Rows } from './rows.ts';

/** Mailbox, or all mail if both ids are null, with the filter of its list. */
export type Scope = Filter & { account: number | null; mailbox: number | null };

const pageSize = 100;
const atOnce = 2;

const pageOf = (position: number) => Math.floor(position / pageSize) + 1;

/** List of one scope. Another scope gets another list, so late responses find that their list has ended, and change nothing. */
export class List {
  readonly scope: Scope;
  readonly rows = new Rows();
  /** Number of row changes. Reading this signal subscribes to the changes. */
  readonly changed = signal(0);
  /** Reason why the latest read failed. Null if it succeeded. */
  readonly error = signal<unknown>(null);
  /** True once the first page has been read. */
  readonly loaded = signal(false);
  /** Team's event number up to which the list is complete. */
  cursor = 0;
  /** Known messages whose position may have changed. */
  #stale = new Set<number>();
  /** Pages read since positions last changed. No page is read twice, even if reading it left positions unknown. */
  readonly #tried = new Set<number>();
  readonly #loading = new Map<number, Promise<void>>();
  readonly #end = new AbortController();
  readonly #request: Client['request'];
  readonly #arrived: (items: MessageSummary[]) => void;
  #wanted: [number, number] = [0, 0];
  #asking = false;
  /** True if mail has arrived that the list may lack. */
  #askAgain = false;

  /** Calls `arrived` with new messages that were added at the top of the list. */
  constructor(scope: Scope, request: Client['request'], arrived: (items: MessageSummary[]) => void) {
    this.scope = scope;
    this.#request = request;
    this.#arrived = arrived;
  }

  end(): void {
    this.#end.abort();
  }

  get #ended(): boolean {
    return this.#end.signal.aborted;
  }

  /** Loads the missing rows between two positions. Replaces the previous call's range. */
  want(first: number, last: number): void {
    this.#wanted = [first, last];
    this.#pump();
  }

  /** Reads the visible rows again, after changes at unknown positions. Old rows stay until the new rows arrive. */
  refresh(): void {
    this.#stale = new Set(this.rows.known().map(({ id }) => id));
    this.#tried.clear();
    // Pending responses may be older than the change.
    this.#loading.clear();
    void this.#load(1);
    this.#pump();
  }

  /** Reads the unknown rows. Returns all rows, or no rows if another list is shown in the meantime or reading fails. */
  async readAll(): Promise<MessageSummary[]> {
    const last = () => this.rows.total - 1;
    const next = () => this.#pagesOf(0, last()).find((page) => this.#lacks(page, 0, last()));
    for (let page = next(); page !== undefined; page = next()) {
      await this.#load(page);
      if (this.#ended || this.error.value !== null) return [];
    }
    return this.#ended ? [] : this.rows.known();
  }

  /**
   * Reads the messages after the cursor and adds them at the top of the list. The first page may lack mail that arrived while the page
   * was read, so `#take` calls this again.
   */
  takeNew(): void {
    this.#askAgain = true;
    if (this.loaded.value && !this.#asking) void this.#ask();
  }

  /** Changes rows immediately. The change's event arrives later. */
  change(ids: number | readonly number[], change: Partial<MessageSummary>): void {
    for (const id of typeof ids === 'number' ? [ids] : ids) this.rows.change(id, change);
    this.changed.value++;
  }

  remove(...ids: number[]): void {
    if (!this.rows.remove(ids)) return;
    this.#tried.clear();
    this.changed.value++;
  }

  #pagesOf(first: number, last: number): number[] {
    const from = pageOf(first);
    return Array.from({ length: Math.max(0, pageOf(last) - from + 1) }, (_, index) => from + index);
  }

  #pump(): void {
    const [first, last] = this.#wanted;
    for (const page of this.#pagesOf(first, Math.max(first, last))) {
      if (this.#loading.size >= atOnce) return;
      if (!this.#loading.has(page) && this.#lacks(page, first, last)) void this.#load(page);
    }
  }

  /** Checks whether a page has unknown or stale positions in the range, and has not been read since these positions changed. */
  #lacks(page: number, first: number, last: number): boolean {
    if (this.#tried.has(page) && !this.#loading.has(page)) return false;
    const end = Math.min(last, page * pageSize - 1, this.rows.total - 1);
    for (let position = Math.max(first, (page - 1) * pageSize); position <= end; position++) {
      const item = this.rows.at(position);
      if (item === undefined || this.#stale.has(item.id)) return true;
    }
    return false;
  }

  #load(page: number): Promise<void> {
    const before = this.#loading.get(page);
    if (before !== undefined) return before;
    this.#tried.add(page);
    const reading = this.#read(page).finally(() => {
      if (this.#loading.get(page) === reading) this.#loading.delete(page);
      if (!this.#ended && this.error.value === null) this.#pump();
    });
    this.#loading.set(page, reading);
    return reading;
  }

  async #read(page: number): Promise<void> {
    try {
      const { signal } = this.#end;
      const path = listPath(this.scope, { page, limit: pageSize });
      const answer = await this.#request<MessageList>('GET', path, undefined, { signal });
      if (!this.#ended) this.#take(page, answer);
    } catch (error) {
      if (!this.#ended) this.error.value = error;
    }
  }

  #take(page: number, { items, pagination, cursor }: MessageList): void {
    const { total } = pagination;
    // A changed row that no longer passes the filter stays until the list is read again, because positions have changed.
    const shrunk = page > 1 && total < this.rows.total;
    // Mail newer than the first page belongs at the top of the list. `takeNew` adds it there.
    const grown = this.loaded.value && page > 1 ? Math.max(0, total - this.rows.total) : 0;
    batch(() => {
      this.rows.setPage((page - 1) * pageSize - grown, items, total - grown);
      for (const { id } of items) this.#stale.delete(id);
      if (page === 1) this.cursor = Math.max(this.cursor, cursor);
      this.loaded.value = true;
      this.error.value = null;
      this.changed.value++;
    });
    if (shrunk) this.refresh();
    if (grown > 0 || this.#askAgain) this.takeNew();
  }

  async #ask(): Promise<void> {
    this.#asking = true;
    while (this.#askAgain && !this.#ended) {
      this.#askAgain = false;
      await this.#takeSince().catch((error) => {
        if (!this.#ended) this.error.value = error;
      });
    }
    this.#asking = false;
  }

  async #takeSince(): Promise<void> {
    const path = listPath(this.scope, { since: this.cursor, limit: 200 });
    const answer = await this.#request<MessageList>('GET', path);
    if (this.#ended) return;
    this.cursor = answer.cursor;
    if (answer.pagination.total > answer.items.length) return this.refresh();
    const fresh = this.rows.prepend(answer.items);
    if (fresh.length === 0) return;
    this.#tried.clear();
    this.#arrived(fresh);
    this.changed.value++;
  }
}

/** Returns the path of a scope's list with further parameters: `/api/…/messages?…`. */
function listPath({ account, mailbox, ...filter }: Scope, more: Record<string, number>): string {
  const base = account === null ? '/api/messages' : `/api/accounts/${account}/mailboxes/${mailbox}/messages`;
  const paging = Object.entries(more).map(([name, value]) => `${name}=${value}`);
  return `${base}?${[...paging, queryOf(filter)].filter((part) => part !== '').join('&')}`;
}
