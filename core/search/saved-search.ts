import type { Id } from '#core/ids.ts';

/** Search that a team saves under a name for all of its members. `q` uses the grammar of message lists. */
export type SavedSearch = { id: Id; name: string; q: string };
