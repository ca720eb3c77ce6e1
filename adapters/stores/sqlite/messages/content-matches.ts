import type { DatabaseSync } from 'node:sqlite';
import type { Id } from '#core/ids.ts';
import type { Query } from '#core/messages/query.ts';
import { contentFacts, type MailFacts, matches } from '#core/query/matches.ts';

/**
 * Defines `content_matches` on a connection, which compares a query with the parts of a message's content that it needs. The result
 * sets the queries of the next statement, by whose places they are named. Facts of the latest message are kept, since several
 * terms may ask for them.
 */
export function contentMatches(db: DatabaseSync): (queries: Query[]) => void {
  let queries: Query[] = [];
  let latest: { id: Id; facts: MailFacts } | null = null;
  db.function('content_matches', (query, id, parts, hasHtml, deliveredTo, envelope, copy) => {
    if (latest?.id !== Number(id)) {
      const row = {
        copy: copy === 1,
        deliveredTo: String(deliveredTo),
        envelope: JSON.parse(String(envelope)),
      };
      const facts = contentFacts(row, JSON.parse(String(parts)), hasHtml === 1);
      latest = { id: Number(id), facts };
    }
    const wanted = queries[Number(query)];
    return wanted !== undefined && matches(wanted, latest.facts) ? 1 : 0;
  });
  return (next) => {
    queries = next;
    latest = null;
  };
}
