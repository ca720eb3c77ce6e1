import { invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { type Query, termsBesideTheMail, termsOf } from '#core/messages/query.ts';
import { parseQuery } from './parse.ts';

/** Reads a query that is to be kept. Throws Invalid for one of too many terms. */
export function requireQuery(q: string): Query {
  const query = parseQuery(q);
  const most = limits.answers.queryTerms;
  if (termsOf(query).length > most)
    throw invalid('q', `must have at most ${most} words and operators`, 'answers.queryTerms');
  return query;
}

/** Requires a query that a mail answers by itself. Throws Invalid that names the first other operator, or for an empty query. */
export function requireMailQuery(q: string): void {
  const query = requireQuery(q);
  if (termsOf(query).length === 0) throw invalid('q', 'must have a word or an operator');
  const [term] = termsBesideTheMail(query);
  if (term === undefined) return;
  const name = term.field === 'newer' || term.field === 'older' ? `${term.field}_than` : term.field;
  throw invalid('q', `must not have ${name}: because a new mail does not tell it`);
}
