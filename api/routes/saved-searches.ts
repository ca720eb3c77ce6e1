import { audit, found } from '#api/context.ts';
import { route } from '#api/route.ts';
import { deletion } from '#api/shapes/response-shape.ts';
import {
  searchCreation,
  searchList,
  searchQuery,
  searchShape,
  searchUpdate,
} from '#api/shapes/saved-search.ts';
import { limits } from '#core/limits.ts';
import { pageOf } from '#core/page.ts';
import { addSearch, removeSearch, setSearch } from '#core/search/change-saved-searches.ts';

const success = { description: 'The saved search', shape: searchShape };

export const savedSearchRoutes = [
  route({
    method: 'get',
    path: '/api/searches',
    operationId: 'listSearches',
    summary: 'List the saved searches of the team, the oldest first',
    query: searchQuery,
    success: { description: 'A page of saved searches', shape: searchList },
    handle: async ({ services, caller, query }) =>
      pageOf(await services.savedSearches.list(caller.team), query),
  }),
  route({
    method: 'post',
    path: '/api/searches',
    operationId: 'createSearch',
    summary: 'Save a search for all members of the team',
    body: searchCreation,
    success,
    async handle(call) {
      const { services, caller, body } = call;
      const wanted = { ...body, team: caller.team, most: limits.owned.savedSearches };
      const search = await services.rows.change(addSearch, wanted);
      await audit(call, 'search.created', search.name);
      return search;
    },
  }),
  route({
    method: 'get',
    path: '/api/searches/{search_id}',
    operationId: 'getSearch',
    summary: 'Read a saved search',
    success,
    async handle({ services, caller, ids }) {
      const searches = await services.savedSearches.list(caller.team);
      return found(searches.find(({ id }) => id === ids.search_id) ?? null);
    },
  }),
  route({
    method: 'patch',
    path: '/api/searches/{search_id}',
    operationId: 'updateSearch',
    summary: 'Change a saved search',
    body: searchUpdate,
    success,
    async handle(call) {
      const { services, caller, ids, body } = call;
      const place = { team: caller.team, search: ids.search_id };
      const search = await services.rows.change(setSearch, { ...place, set: body });
      await audit(call, 'search.changed', search.name);
      return search;
    },
  }),
  route({
    method: 'delete',
    path: '/api/searches/{search_id}',
    operationId: 'deleteSearch',
    summary: 'Delete a saved search',
    success: { description: 'It is gone', shape: deletion },
    async handle(call) {
      const { services, caller, ids } = call;
      const gone = { team: caller.team, search: ids.search_id };
      const { name } = await services.rows.change(removeSearch, gone);
      await audit(call, 'search.deleted', name);
    },
  }),
];
