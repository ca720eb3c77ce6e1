import { computed, signal } from '@preact/signals';
import { ApiError, type Client } from './client.ts';
import type { Account, Domain, List, SavedSearch, Tag } from './shapes.ts';

/** Creates the state of the team's domains, accounts, saved searches and tags. */
export function createDirectory({ readAll, request, hasLeft }: Client) {
  /** Domains of the team, and its accounts with their mailboxes. Null until first read. */
  const directory = signal<{ domains: Domain[]; accounts: Account[] } | null>(null);

  /** Number of unread messages in all accounts. */
  const unread = computed(() =>
    (directory.value?.accounts ?? [])
      .flatMap(({ mailboxes }) => mailboxes)
      .reduce((sum, { totalUnreadMessages }) => sum + totalUnreadMessages, 0),
  );

  /** Reads the directory again, after a domain, account or mailbox changed. Throws ApiError. */
  async function reloadDirectory(): Promise<void> {
    const [domains, accounts] = await Promise.all([
      // A key limited to accounts may not read domains.
      readAll<Domain>('/api/domains').catch((error) => {
        if (error instanceof ApiError && error.status === 403) return [];
        throw error;
      }),
      readAll<Account>('/api/accounts'),
    ]);
    directory.value = { domains, accounts };
  }

  /** Saved searches by name. Null until first read. */
  const searches = signal<SavedSearch[] | null>(null);
  /** Message tags with their counts, up to one page of the API. */
  const tags = signal<Tag[]>([]);

  /** Reads the saved searches again. Throws ApiError. */
  async function reloadSearches(): Promise<void> {
    const all = await readAll<SavedSearch>('/api/searches');
    searches.value = all.toSorted((a, b) => a.name.localeCompare(b.name));
  }

  /** Reads the tags again after messages have changed. Throws ApiError. */
  async function reloadTags(): Promise<void> {
    const { items } = await request<List<Tag>>('GET', '/api/tags');
    tags.value = items;
  }

  hasLeft.subscribe((left) => {
    if (!left) return;
    directory.value = null;
    searches.value = null;
    tags.value = [];
  });
  return { directory, unread, searches, tags, reloadDirectory, reloadSearches, reloadTags };
}

export type Directory = ReturnType<typeof createDirectory>;
