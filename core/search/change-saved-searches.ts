import { defineChange, type Plan } from '#core/change.ts';
import { found, invalid, NotFound, requireRoom } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { requireQuery } from '#core/query/check-query.ts';
import type { SavedSearch } from './saved-search.ts';

const quota = { field: 'name', limit: 'owned.savedSearches', things: 'saved searches' } as const;

/**
 * Adds a search to a team. Throws NotFound if the team does not exist. Throws Invalid if the name is in use, if the search has too many
 * terms, or if the team already has `most` searches.
 */
export const addSearch = defineChange(
  'addSearch',
  ['newSearch', 'team', 'searches'],
  (
    { newSearch: id, team, searches },
    { name, q, most }: Omit<SavedSearch, 'id'> & { team: Id; most?: number },
  ): Plan<SavedSearch> => {
    if (team === null) throw new NotFound();
    requireRoom(searches.length, { ...quota, most });
    refuseTaken(searches, name);
    requireQuery(q);
    const search = { id, name, q };
    return { writes: [{ do: 'put-search', team: team.id, search }], result: search };
  },
);

/** Changes a search. Throws NotFound. Throws Invalid if another search has the name, or if the search has too many terms. */
export const setSearch = defineChange(
  'setSearch',
  ['searches'],
  (
    { searches },
    { team, search: id, set }: { team: Id; search: Id; set: Partial<Omit<SavedSearch, 'id'>> },
  ): Plan<SavedSearch> => {
    const search = { ...found(searches.find((one) => one.id === id)), ...set };
    const others = searches.filter((other) => other.id !== id);
    refuseTaken(others, search.name);
    requireQuery(search.q);
    return { writes: [{ do: 'put-search', team, search }], result: search };
  },
);

/** Removes a search and returns it. Throws NotFound. */
export const removeSearch = defineChange(
  'removeSearch',
  ['searches'],
  ({ searches }, { search: id }: { team: Id; search: Id }): Plan<SavedSearch> => {
    const search = found(searches.find((one) => one.id === id));
    return { writes: [{ do: 'remove-searches', where: { id } }], result: search };
  },
);

/** Refuses a name that another search already has, ignoring case. */
function refuseTaken(others: SavedSearch[], name: string): void {
  const key = (text: string) => text.normalize('NFC').toLowerCase();
  if (others.some((other) => key(other.name) === key(name)))
    throw invalid('name', `the team already has a saved search ${name}`);
}
