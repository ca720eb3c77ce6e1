import { route } from '#api/route.ts';
import { pageQuery } from '#api/shapes/page.ts';
import { searchCreation, searchList, searchShape, searchUpdate } from '#api/shapes/saved-search.ts';
import { explainQuery, explanationShape } from '#api/shapes/search.ts';
import { limits } from '#core/limits.ts';
import { pageOf } from '#core/page.ts';
import { addSearch, removeSearch, setSearch } from '#core/search/change-saved-searches.ts';
import { collection } from './collection.ts';

export const searchRoutes = [
  route({
    method: 'get',
    path: '/api/search/explain',
    operationId: 'explainSearch',
    summary: 'How a search is read',
    query: explainQuery,
    success: { description: 'Its parts', shape: explanationShape },
    handle: async ({ query }) => query.text,
  }),
  ...collection({
    noun: ['Search', 'Searches'],
    path: '/api/searches',
    id: 'search_id',
    success: { description: 'The saved search', shape: searchShape },
    list: {
      summary: 'List the saved searches of the team, the oldest first',
      query: pageQuery,
      success: { description: 'A page of saved searches', shape: searchList },
      run: async ({ services, caller, query }) =>
        pageOf(await services.savedSearches.list(caller.team), query),
    },
    create: {
      summary: 'Save a search for all members of the team',
      body: searchCreation,
      run({ services, caller, body }) {
        const wanted = { ...body, team: caller.team, most: limits.owned.savedSearches };
        return services.rows.change(addSearch, wanted);
      },
      audit: ({ name }) => ['search.created', name],
    },
    get: {
      summary: 'Read a saved search',
      async run({ services, caller, ids }) {
        const searches = await services.savedSearches.list(caller.team);
        return searches.find(({ id }) => id === ids.search_id) ?? null;
      },
    },
    update: {
      summary: 'Change a saved search',
      body: searchUpdate,
      run({ services, caller, ids, body }) {
        return services.rows.change(setSearch, { team: caller.team, search: ids.search_id, set: body });
      },
      audit: ({ name }) => ['search.changed', name],
    },
    delete: {
      summary: 'Delete a saved search',
      run({ services, caller, ids }) {
        return services.rows.change(removeSearch, { team: caller.team, search: ids.search_id });
      },
      audit: ({ name }) => ['search.deleted', name],
    },
  }),
];
