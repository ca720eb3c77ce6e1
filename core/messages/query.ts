import type { AuthResult } from './content.ts';

/**
 * Parsed search: all of some conditions, one of some, the opposite of one, or a term. `{ all: [] }` lets every message pass.
 * Depth is at most five, since parentheses are one level deep.
 */
export type Query = { all: Query[] } | { any: Query[] } | { not: Query } | Term;

/** Fields in which a part is looked for. `text` is a plain word: subject, sender, recipients or text. */
export type PartField = 'text' | 'from' | 'to' | 'cc' | 'bcc' | 'subject' | 'body' | 'filename';

/** Fields whose value is compared whole. */
export type ExactField =
  | 'message-id'
  | 'address'
  | 'tag'
  | 'in'
  | 'account'
  | 'domain'
  | 'authenticated'
  | 'provider'
  | 'audit';

/** Mechanisms of e-mail authentication whose result is compared. */
export type ResultField = 'spf' | 'dkim' | 'dmarc' | 'arc';

/** State of a message that its owner changes. */
export type State = 'read' | 'unread' | 'flagged' | 'unflagged';

/** Thing that a mail has. */
export type Thing = 'attachment' | 'code' | 'link' | 'html';

/**
 * Condition on one field. `typed` is its value as it was written. Values to compare are folded by `foldText` for parts, and in
 * the normal form of their kind otherwise. `bytes` is a size, `at` an instant in ms since 1970, `ms` a duration.
 */
export type Term = { typed: string } & (
  | { field: PartField; part: string }
  | { field: 'header'; name: string; part: string | null }
  | { field: ExactField; value: string }
  | { field: 'is'; state: State }
  | { field: 'has'; thing: Thing }
  | { field: 'larger' | 'smaller'; bytes: number }
  | { field: 'after' | 'before'; at: number }
  | { field: 'newer' | 'older'; ms: number }
  | { field: ResultField; result: AuthResult }
);

export type Field = Term['field'];

/** Lists the terms of a query in their order, with whether an odd number of negations applies to each. */
export function termsOf(query: Query, negated = false): { term: Term; negated: boolean }[] {
  if ('all' in query) return query.all.flatMap((part) => termsOf(part, negated));
  if ('any' in query) return query.any.flatMap((part) => termsOf(part, negated));
  if ('not' in query) return termsOf(query.not, !negated);
  return [{ term: query, negated }];
}

/** Fields that a mail does not tell itself: they depend on its place, its state or the time. */
const besideTheMail: ReadonlySet<Field> = new Set<Field>([
  ...(['is', 'tag', 'in', 'account', 'domain'] as const),
  ...(['after', 'before', 'newer', 'older'] as const),
]);

/** Lists the terms that the mail itself does not answer, and which `matches` therefore cannot. */
export function termsBesideTheMail(query: Query): Term[] {
  return termsOf(query).flatMap(({ term }) => (besideTheMail.has(term.field) ? [term] : []));
}
