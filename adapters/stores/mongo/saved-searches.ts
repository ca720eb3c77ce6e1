import type { ClientSession } from 'mongodb';
import type { Id } from '#core/ids.ts';
import type { SavedSearch, SavedSearchStore } from '#core/search/saved-search.ts';
import type { Context } from './context.ts';

export function createSavedSearches(context: Pick<Context, 'collections'>): SavedSearchStore {
  return { list: (team) => readSearches(context, team) };
}

/** Reads the saved searches of a team, in a transaction if there is a session. */
export async function readSearches(
  { collections: { savedSearches } }: Pick<Context, 'collections'>,
  team: Id,
  session?: ClientSession,
): Promise<SavedSearch[]> {
  const rows = await savedSearches
    .find({ team }, session && { session })
    .sort({ _id: 1 })
    .toArray();
  return rows.map(({ _id: id, name, q }) => ({ id, name, q }));
}
