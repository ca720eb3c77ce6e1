import { invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { type Query, termsOf, termsOutsideContent } from '#core/messages/query.ts';
import { parseQuery } from './parse.ts';

/** Parses a query that is to be stored. Throws Invalid if the query has too many terms. */
export function requireQuery(q: string, field = 'q'): Query {
  const query = parseQuery(q);
  const most = limits.answers.queryTerms;
  if (termsOf(query).length > most)
    throw invalid(field, `must have at most ${most} words and operators`, 'answers.queryTerms');
  return query;
}

/**
 * Checks that a query in a request field depends only on the email. Throws Invalid for an empty query, or with the first operator that
 * depends on anything else.
 */
export function requireMailQuery(q: string, field = 'q'): void {
  const query = requireQuery(q, field);
  if (termsOf(query).length === 0) throw invalid(field, 'must contain at least one word or operator');
  const [term] = termsOutsideContent(query);
  if (term === undefined) return;
  const name = term.field === 'newer' || term.field === 'older' ? `${term.field}_than` : term.field;
  throw invalid(field, `must not contain the ${name}: operator, which doesn't apply to new mail`);
}
