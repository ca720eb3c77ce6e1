import { limits } from '#core/limits.ts';
import type { SavedSearch } from '#core/search/saved-search.ts';
import { listShape } from './page.ts';
import { writeShapes } from './request-shape.ts';
import { answerOf, text, wholeNumber } from './response-shape.ts';
import { nameValue, textValue } from './values.ts';

const example = { name: 'Codes', q: 'has:code newer_than:1d' };

export const { creation: searchCreation, update: searchUpdate } = writeShapes<Omit<SavedSearch, 'id'>>(
  'Search',
  {
    name: nameValue(1, 100)
      .description('Unique within the team, without regard to case.')
      .example(example.name)
      .required(),
    q: textValue(1, limits.answers.queryCharacters, {}, 'answers.queryCharacters')
      .description('As `q` of a list of messages.')
      .example(example.q)
      .required(),
  },
  { example, change: { q: 'has:code newer_than:7d' } },
);

export const searchShape = answerOf<SavedSearch>()('SavedSearch', {
  id: wholeNumber().min(1).example(3),
  name: text().example(example.name),
  q: text().example(example.q),
});

export const searchList = listShape('SavedSearchList', searchShape);
