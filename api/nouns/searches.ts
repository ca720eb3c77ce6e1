import { collection } from '#api/collection.ts';
import { get } from '#api/route.ts';
import { writeShapes } from '#api/shapes/request-shape.ts';
import { answerOf, text, wholeNumber } from '#api/shapes/response-shape.ts';
import { explainQuery, explanationShape } from '#api/shapes/search.ts';
import { limitedText, nameValue } from '#api/shapes/values.ts';
import { limits } from '#core/limits.ts';
import { pageOf } from '#core/page.ts';
import { addSearch, removeSearch, setSearch } from '#core/search/change-saved-searches.ts';
import type { SavedSearch } from '#core/search/saved-search.ts';

const example = { name: 'Codes', q: 'has:code newer_than:1d' };

const { creation: searchCreation, update: searchUpdate } = writeShapes<Omit<SavedSearch, 'id'>>(
  'Search',
  {
    name: nameValue(1, 100)
      .description('Unique within the team, ignoring case.')
      .example(example.name)
      .required(),
    q: limitedText(1, 'answers.queryCharacters').description('Search query.').example(example.q).required(),
  },
  { example, change: { q: 'has:code newer_than:7d' } },
);

export const searchShape = answerOf<SavedSearch>()('SavedSearch', {
  id: wholeNumber().min(1).example(3),
  name: text().example(example.name),
  q: text().example(example.q),
});

export const searchRoutes = [
  get({
    path: '/api/search/explain',
    operationId: 'explainSearch',
    summary: 'Explain how Sandpost interprets a search query',
    query: explainQuery,
    success: { description: 'Its parts', shape: explanationShape },
    handle: async ({ query }) => query.text,
  }),
  ...collection({
    noun: ['Search', 'Searches'],
    words: ['saved search', 'saved searches'],
    path: '/api/searches',
    id: 'search_id',
    shape: searchShape,
    list: {
      summary: "List the team's saved searches, oldest first",
      run: async ({ services, caller, query }) =>
        pageOf(await services.rows.read('searches', { team: caller.team }), query),
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
        const searches = await services.rows.read('searches', { team: caller.team });
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
