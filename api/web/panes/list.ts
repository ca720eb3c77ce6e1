import { batch, signal } from '@preact/signals';
import { request } from '../client/request.ts';
import { hasLeft } from '../client/session.ts';
import type { MessageList, MessageSummary } from '../client/shapes.ts';
import { type Filter, noFilter, queryOf } from '../place-url.ts';
import { Rows } from './rows.ts';

/** Mailbox, or all mail if both ids are null, and the filter of its list. */
export type Scope = Filter & { account: number | null; mailbox: number | null };

const pageSize = 100;
const atOnce = 2;

/** Number of changes of the shown list. Reading it subscribes to them. */
export const changed = signal(0);
export const listError = signal<unknown>(null);
/** True once the first page has been read. */
export const loaded = signal(false);

let arrived: (items: MessageSummary[]) => void = () => {};

/** Sets the listener for new messages of the shown list. */
export function onArrival(listener: (items: MessageSummary[]) => void): void {
  arrived = listener;
}

const pageOf = (position: number) => Math.floor(position / pageSize) + 1;

/** List of one scope. Another scope is another list: answers that come too late find theirs ended, and change nothing. */
class List {
  readonly scope: Scope;
  readonly rows = new Rows();
  /** Event number of the team up to which the list is complete. */
  cursor = 0;
  /** Known messages whose position may have changed. */
  #stale = new Set<number>();
  /** Pages read since positions last changed. None is read twice, even if it left positions open. */
  readonly #tried = new Set<number>();
  readonly #loading = new Map<number, Promise<void>>();
  readonly #end = new AbortController();
  #wanted: [number, number] = [0, 0];
  #asking = false;
  /** True if mail has come that the list may lack. */
  #askAgain = false;

  constructor(scope: Scope) {
    this.scope = scope;
  }

  end(): void {
    this.#end.abort();
  }

  get #ended(): boolean {
    return this.#end.signal.aborted;
  }

  want(first: number, last: number): void {
    this.#wanted = [first, last];
    this.#pump();
  }

  refresh(): void {
    this.#stale = new Set(this.rows.known().map(({ id }) => id));
    this.#tried.clear();
    // Answers under way may be older than the change.
    this.#loading.clear();
    void this.#load(1);
    this.#pump();
  }

  async readAll(): Promise<MessageSummary[]> {
    const last = () => this.rows.total - 1;
    const next = () => this.#pagesOf(0, last()).find((page) => this.#lacks(page, 0, last()));
    for (let page = next(); page !== undefined; page = next()) {
      await this.#load(page);
      if (this.#ended || listError.value !== null) return [];
    }
    return this.#ended ? [] : this.rows.known();
  }

  /** Mail that comes while the first page is read may be missing from it. `#take` calls this again. */
  takeNew(): void {
    this.#askAgain = true;
    if (loaded.value && !this.#asking) void this.#ask();
  }

  change(id: number, change: Partial<MessageSummary>): void {
    this.rows.change(id, change);
    changed.value++;
  }

  remove(id: number): void {
    if (!this.rows.remove(id)) return;
    this.#tried.clear();
    changed.value++;
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

  /** Tells whether a page has positions in the range that are unknown or stale, and has not been read for them yet. */
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
      if (!this.#ended && listError.value === null) this.#pump();
    });
    this.#loading.set(page, reading);
    return reading;
  }

  async #read(page: number): Promise<void> {
    try {
      const { signal } = this.#end;
      const path = listPath(this.scope, { page, limit: pageSize });
      const answer = await request<MessageList>('GET', path, undefined, { signal });
      if (!this.#ended) this.#take(page, answer);
    } catch (error) {
      if (!this.#ended) listError.value = error;
    }
  }

  #take(page: number, { items, pagination, cursor }: MessageList): void {
    const { total } = pagination;
    // A changed row that no longer passes the filter stays until the list is read again: positions have changed.
    const shrunk = page > 1 && total < this.rows.total;
    // Mail newer than the first page comes first in the list. `takeNew` puts it there.
    const grown = loaded.value && page > 1 ? Math.max(0, total - this.rows.total) : 0;
    batch(() => {
      this.rows.setPage((page - 1) * pageSize - grown, items, total - grown);
      for (const { id } of items) this.#stale.delete(id);
      if (page === 1) this.cursor = Math.max(this.cursor, cursor);
      if (!loaded.value) requestAnimationFrame(() => setTimeout(() => performance.mark('first-list')));
      loaded.value = true;
      listError.value = null;
      changed.value++;
    });
    if (shrunk) this.refresh();
    if (grown > 0 || this.#askAgain) this.takeNew();
  }

  async #ask(): Promise<void> {
    this.#asking = true;
    while (this.#askAgain && !this.#ended) {
      this.#askAgain = false;
      await this.#takeSince().catch((error) => {
        if (!this.#ended) listError.value = error;
      });
    }
    this.#asking = false;
  }

  async #takeSince(): Promise<void> {
    const path = listPath(this.scope, { since: this.cursor, limit: 200 });
    const answer = await request<MessageList>('GET', path);
    if (this.#ended) return;
    this.cursor = answer.cursor;
    if (answer.pagination.total > answer.items.length) return this.refresh();
    const fresh = this.rows.prepend(answer.items);
    if (fresh.length === 0) return;
    this.#tried.clear();
    arrived(fresh);
    changed.value++;
  }
}

let list = new List({ account: null, mailbox: null, ...noFilter });

export const currentScope = (): Scope => list.scope;
export const currentRows = (): Rows => list.rows;
export const listCursor = (): number => list.cursor;

/** Returns the path of a scope's list with further parameters: `/api/…/messages?…`. */
function listPath({ account, mailbox, ...filter }: Scope, more: Record<string, number>): string {
  const base = account === null ? '/api/messages' : `/api/accounts/${account}/mailboxes/${mailbox}/messages`;
  const paging = Object.entries(more).map(([name, value]) => `${name}=${value}`);
  return `${base}?${[...paging, queryOf(filter)].filter((part) => part !== '').join('&')}`;
}

/** Shows another list. */
export function showList(scope: Scope): void {
  begin(scope);
  list.refresh();
}

// The next user of this tab never sees the list of the former one, and nobody that of a team they have left.
hasLeft.subscribe((left) => {
  if (left) begin(list.scope);
});

function begin(scope: Scope): void {
  list.end();
  batch(() => {
    list = new List(scope);
    loaded.value = false;
    listError.value = null;
    changed.value++;
  });
}

/** Loads the missing rows between two positions. Replaces the range of the call before. */
export const want = (first: number, last: number): void => list.want(first, last);

/** Reads the shown rows again, after changes whose positions are unknown. Old rows stay until new ones come. */
export const refreshList = (): void => list.refresh();

/** Reads the rows that are unknown. Returns all rows, or none if another list is shown meanwhile or reading fails. */
export const readAllRows = (): Promise<MessageSummary[]> => list.readAll();

/** Reads the messages after the cursor and puts them at the head of the list. */
export const takeNew = (): void => list.takeNew();

/** Changes a row at once. The event of the change comes later. */
export const changeRow = (id: number, change: Partial<MessageSummary>): void => list.change(id, change);

export const removeRow = (id: number): void => list.remove(id);
