import type { Id } from '#core/ids.ts';

/** Search that a team keeps under a name, for all of its members. `q` is in the grammar of lists. */
export type SavedSearch = { id: Id; name: string; q: string };
