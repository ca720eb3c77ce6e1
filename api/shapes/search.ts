import Joi from 'joi';
import { limits } from '#core/limits.ts';
import { type Query, type Term, termsOf } from '#core/messages/query.ts';
import { parseQuery, partsOf, type QueryPart } from '#core/query/parse.ts';
import { requestShape } from './request-shape.ts';
import { answerOf, listOf, responseShape, text, type Wire, word } from './response-shape.ts';
import { queryText } from './values.ts';

const { queryCharacters, queryTerms } = limits.answers;

/** Query for an empty string, which Joi passes through unchanged. */
export const everything: Query = { all: [] };

/** Schema of text in the search language (docs/search.md). Its value is the query. */
export const searchText = () =>
  queryText(queryCharacters, 'answers.queryCharacters')
    .custom((typed: string, helpers) => {
      const query = parseQuery(typed);
      if (termsOf(query).length <= queryTerms) return query;
      const message = { custom: `must have at most ${queryTerms} words and operators` };
      return helpers.message(message, { reached: 'answers.queryTerms' });
    })
    .description(
      'Words that must all occur, "phrases", -exclusions, OR, parentheses, and operators such as from: or is:unread.',
    );

export const explainQuery = requestShape<{ text: string }>('ExplainQuery', {
  text: {
    names: ['q'],
    schema: searchText()
      .custom((_query: Query, helpers) => helpers.original)
      .description('Search query.')
      .example('from:shop is:unread welcome')
      .required(),
  },
});

type NamedTerm = { term: Term; negated: boolean };

export const nameOf = ({ field }: Term) => (field === 'newer' || field === 'older' ? `${field}_than` : field);

function operatorOf(term: Term): 'contains' | 'equals' | 'exists' | 'greater' | 'less' {
  if ('part' in term) return term.part === null ? 'exists' : 'contains';
  if (term.field === 'larger' || term.field === 'after' || term.field === 'newer') return 'greater';
  if (term.field === 'smaller' || term.field === 'before' || term.field === 'older') return 'less';
  return 'equals';
}

const termShape = answerOf<NamedTerm>()('SearchTerm', {
  field: [
    text().example('from').description('Name before the colon, or `text` for a word without a name.'),
    ({ term }) => nameOf(term),
  ],
  operator: [
    word('contains', 'equals', 'exists', 'greater', 'less').example('contains'),
    ({ term }) => operatorOf(term),
  ],
  value: [text().example('shop'), ({ term }) => term.typed],
  negated: Joi.boolean().example(false),
});

const partShape = answerOf<QueryPart>()('SearchPart', {
  q: [text().example('from:shop OR from:store').description('As written.'), ({ text }) => text],
  terms: [
    listOf(termShape.schema).description('All terms, including words.'),
    ({ query }) => termsOf(query).map(termShape.present),
  ],
});

const explanation = responseShape('SearchExplanation', {
  terms: listOf(termShape.schema).description('Named and negated terms.'),
  text: text().example('welcome').description('Words without a name that are not negated.'),
  parts: listOf(partShape.schema).description(
    'Conditions that must all match. A condition with OR or a group has several terms.',
  ),
});

const isPlain = ({ term, negated }: NamedTerm) => term.field === 'text' && !negated;

/** Returns a word, or a phrase in quotes. */
const written = (typed: string) => (/[\s"]/.test(typed) ? `"${typed.replaceAll('"', '\\"')}"` : typed);

export const explanationShape = {
  schema: explanation,
  present: (q: string): Wire<typeof explanation> => {
    const parts = partsOf(q);
    const terms = parts.flatMap(({ query }) => termsOf(query));
    return {
      terms: terms.filter((term) => !isPlain(term)).map(termShape.present),
      text: terms
        .filter(isPlain)
        .map(({ term }) => written(term.typed))
        .join(' '),
      parts: parts.map(partShape.present),
    };
  },
};
