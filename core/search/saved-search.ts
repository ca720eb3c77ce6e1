import type { Id } from '#core/ids.ts';

/** Search that a team keeps under a name, for all of its members. `q` is in the grammar of lists. */
export type SavedSearch = { id: Id; name: string; q: string };

export type SavedSearchStore = {
  /** Lists the saved searches of a team, oldest first: `owned.savedSearches` at most. */
  list(team: Id): Promise<SavedSearch[]>;
};
