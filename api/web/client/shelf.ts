import { signal } from '@preact/signals';
import type { Client } from './client.ts';
import type { List, SavedSearch, Tag } from './shapes.ts';

/** Saved searches and tags of the team, beside its mailboxes. */
export function createShelf({ readAll, request, hasLeft }: Pick<Client, 'readAll' | 'request' | 'hasLeft'>) {
  /** Saved searches by name. Null until first read. */
  const searches = signal<SavedSearch[] | null>(null);
  /** Tags of messages with their counts, as many as a page of the API has. */
  const tags = signal<Tag[]>([]);

  /** Reads the saved searches again. Throws ApiError. */
  async function reloadSearches(): Promise<void> {
    const all = await readAll<SavedSearch>('/api/searches');
    searches.value = all.toSorted((a, b) => a.name.localeCompare(b.name));
  }

  /** Reads the tags again, after a change of messages. Throws ApiError. */
  async function reloadTags(): Promise<void> {
    const { items } = await request<List<Tag>>('GET', '/api/tags');
    tags.value = items;
  }

  hasLeft.subscribe((left) => {
    if (!left) return;
    searches.value = null;
    tags.value = [];
  });
  return { searches, tags, reloadSearches, reloadTags };
}
