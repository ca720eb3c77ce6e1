import { signal } from '@preact/signals';
import type { Client } from './client.ts';
import type { SavedSearch } from './shapes.ts';

/** Saved searches of the team, beside its mailboxes. */
export function createShelf({ readAll, hasLeft }: Pick<Client, 'readAll' | 'hasLeft'>) {
  /** Saved searches by name. Null until first read. */
  const searches = signal<SavedSearch[] | null>(null);

  /** Reads the saved searches again. Throws ApiError. */
  async function reloadSearches(): Promise<void> {
    const all = await readAll<SavedSearch>('/api/searches');
    searches.value = all.toSorted((a, b) => a.name.localeCompare(b.name));
  }

  hasLeft.subscribe((left) => {
    if (left) searches.value = null;
  });
  return { searches, reloadSearches };
}
