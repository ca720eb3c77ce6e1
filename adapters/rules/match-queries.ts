import { processorMs } from '#adapters/threads/processor-time.ts';
import { type MatchJob, matchMail } from '#core/delivery/match-mail.ts';
import { limits } from '#core/limits.ts';
import type { Query } from '#core/messages/query.ts';
import { parseQuery } from '#core/query/parse.ts';

const mostQueries = 10_000;
const queries = new Map<string, Query>();

function parse(q: string): Query {
  const known = queries.get(q);
  if (known !== undefined) return known;
  if (queries.size >= mostQueries) queries.clear();
  const query = parseQuery(q);
  queries.set(q, query);
  return query;
}

/** Matches rules' queries with an email. `late`: time ran out before all were matched. */
export function matchQueries(job: MatchJob): { matched: Set<number>[]; late: boolean } {
  const until = processorMs() + limits.mail.rulesMs;
  let late = false;
  const isLate = () => {
    late ||= processorMs() > until;
    return late;
  };
  return { matched: matchMail(job, { parse, isLate }), late };
}
