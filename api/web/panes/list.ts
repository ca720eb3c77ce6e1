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

let scope: Scope = { account: null, mailbox: null, ...noFilter };
let rows = new Rows();
/** Event number of the user up to which the list is complete. */
let cursor = 0;
/** Known messages whose position may have changed. */
let stale = new Set<number>();
/** Pages read since positions last changed. None is read twice, even if it left positions open. */
const tried = new Set<number>();
const loading = new Map<number, AbortController>();
let wanted: [number, number] = [0, 0];

export const currentScope = (): Scope => scope;
export const currentRows = (): Rows => rows;
export const listCursor = (): number => cursor;

let arrived: (items: MessageSummary[]) => void = () => {};

/** Sets the listener for new messages of the shown list. */
export function onArrival(listener: (items: MessageSummary[]) => void): void {
  arrived = listener;
}

/** Returns the path of a scope's list with further parameters: `/api/…/messages?…`. */
export function listPath({ account, mailbox, ...filter }: Scope, more: Record<string, number>): string {
  const base = account === null ? '/api/messages' : `/api/accounts/${account}/mailboxes/${mailbox}/messages`;
  const paging = Object.entries(more).map(([name, value]) => `${name}=${value}`);
  return `${base}?${[...paging, queryOf(filter)].filter((part) => part !== '').join('&')}`;
}

/** Shows another list. */
export function showList(next: Scope): void {
  empty(next);
  void loadPage(1);
}

// The next user of this tab never sees the list of the former one, and nobody that of a team they have left.
hasLeft.subscribe((left) => {
  if (left) empty(scope);
});

function empty(next: Scope): void {
  for (const request of loading.values()) request.abort();
  loading.clear();
  tried.clear();
  batch(() => {
    scope = next;
    rows = new Rows();
    stale = new Set();
    wanted = [0, 0];
    loaded.value = false;
    listError.value = null;
    changed.value++;
  });
}

/** Loads the missing rows between two positions. Replaces the range of the call before. */
export function want(first: number, last: number): void {
  wanted = [first, last];
  pump();
}

/** Reads the shown rows again, after changes whose positions are unknown. Old rows stay until new ones come. */
export function refreshList(): void {
  stale = new Set(rows.known().map(({ id }) => id));
  tried.clear();
  void loadPage(1);
  pump();
}

function pump(): void {
  const [first, last] = wanted;
  for (let page = pageOf(first); page <= pageOf(Math.max(first, last)); page++) {
    if (loading.size >= atOnce) return;
    if (!loading.has(page) && !tried.has(page) && isMissing(page)) void loadPage(page);
  }
}

const pageOf = (position: number) => Math.floor(position / pageSize) + 1;

function isMissing(page: number): boolean {
  const start = Math.max(wanted[0], (page - 1) * pageSize);
  const end = Math.min(wanted[1], page * pageSize - 1, rows.total - 1);
  for (let position = start; position <= end; position++) {
    const item = rows.at(position);
    if (item === undefined || stale.has(item.id)) return true;
  }
  return false;
}

async function loadPage(page: number): Promise<void> {
  const aborter = new AbortController();
  const mine = rows;
  loading.set(page, aborter);
  tried.add(page);
  try {
    const path = listPath(scope, { page, limit: pageSize });
    const answer = await request<MessageList>('GET', path, undefined, { signal: aborter.signal });
    if (rows === mine) takePage(page, answer);
  } catch (error) {
    if (rows === mine) listError.value = error;
  } finally {
    if (rows === mine) loading.delete(page);
  }
  if (rows === mine && listError.value === null) pump();
}

function takePage(page: number, { items, pagination, cursor: newest }: MessageList): void {
  const { total } = pagination;
  // A changed row that no longer passes the filter stays until the list is read again: positions have changed.
  const shrunk = page > 1 && total < rows.total;
  // Mail newer than the first page comes first in the list. `takeNew` puts it there.
  const grown = loaded.value && page > 1 ? Math.max(0, total - rows.total) : 0;
  batch(() => {
    rows.setPage((page - 1) * pageSize - grown, items, total - grown);
    for (const { id } of items) stale.delete(id);
    if (page === 1) cursor = Math.max(cursor, newest);
    if (!loaded.value) requestAnimationFrame(() => setTimeout(() => performance.mark('first-list')));
    loaded.value = true;
    listError.value = null;
    changed.value++;
  });
  if (shrunk) refreshList();
  if (grown > 0 || askWhenLoaded) void takeNew();
  askWhenLoaded = false;
}

let asking: Promise<void> | null = null;
let askAgain = false;
/** True if mail came while the list was read: it may be missing from the answer. */
let askWhenLoaded = false;

/** Reads the messages after the cursor and puts them at the head of the list. */
export function takeNew(): Promise<void> {
  askAgain = true;
  asking ??= (async () => {
    while (askAgain) {
      askAgain = false;
      await takeSince().catch((error) => {
        listError.value = error;
      });
    }
    asking = null;
  })();
  return asking;
}

async function takeSince(): Promise<void> {
  const mine = rows;
  if (!loaded.value) {
    askWhenLoaded = true;
    return;
  }
  const answer = await request<MessageList>('GET', listPath(scope, { since: cursor, limit: 200 }));
  if (rows !== mine) return;
  cursor = answer.cursor;
  if (answer.pagination.total > answer.items.length) return refreshList();
  const fresh = rows.prepend(answer.items);
  if (fresh.length === 0) return;
  tried.clear();
  arrived(fresh);
  changed.value++;
}

/** Changes a row at once. The event of the change comes later. */
export function changeRow(id: number, change: Partial<MessageSummary>): void {
  rows.change(id, change);
  changed.value++;
}

export function removeRow(id: number): void {
  if (!rows.remove(id)) return;
  tried.clear();
  changed.value++;
}
