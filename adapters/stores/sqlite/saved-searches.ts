import type { DatabaseSync } from 'node:sqlite';
import type { SavedSearch, SavedSearchStore } from '#core/search/saved-search.ts';
import type { Sync } from './workers/calls.ts';
import { query } from './workers/query.ts';

export function savedSearchReads(db: DatabaseSync): Sync<SavedSearchStore> {
  const ofTeam = query<SavedSearch>(
    db,
    'SELECT id, name, q FROM saved_search WHERE team_id = :team ORDER BY id',
  );
  return { list: (team) => ofTeam.all({ team }) };
}
