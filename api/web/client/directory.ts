import { computed, signal } from '@preact/signals';
import { request } from './request.ts';
import { hasLeft } from './session.ts';
import type { Account, Domain, List } from './shapes.ts';

/** Domains of the team, and accounts with their mailboxes. Null until first read. */
export const directory = signal<{ domains: Domain[]; accounts: Account[] } | null>(null);

/** Number of unread messages of all accounts. */
export const unread = computed(() =>
  (directory.value?.accounts ?? [])
    .flatMap(({ mailboxes }) => mailboxes)
    .reduce((sum, { totalUnreadMessages }) => sum + totalUnreadMessages, 0),
);

/** Reads the directory again, after a change of a domain, account or mailbox. Throws ApiError. */
export async function reloadDirectory(): Promise<void> {
  const [domains, accounts] = await Promise.all([
    readAll<Domain>('/api/domains'),
    readAll<Account>('/api/accounts'),
  ]);
  directory.value = { domains, accounts };
}

/** Reads all pages of a list. */
export async function readAll<T>(path: string): Promise<T[]> {
  const items: T[] = [];
  for (let page = 1; ; page++) {
    const list = await request<List<T>>('GET', `${path}?limit=200&page=${page}`);
    items.push(...list.items);
    if (list.items.length === 0 || items.length >= list.pagination.total) return items;
  }
}

hasLeft.subscribe((left) => {
  if (left) directory.value = null;
});
