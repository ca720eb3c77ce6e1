import type { Id } from '#core/ids.ts';
import type { AuthResult, MessageContent, SearchTexts } from './content.ts';

/**
 * Parsed search: all of several conditions, one of several conditions, the negation of a condition, or a term. `{ all: [] }` matches
 * every message. The depth is at most five, because parentheses cannot nest.
 */
export type Query = { all: Query[] } | { any: Query[] } | { not: Query } | Term;

/** Fields that match part of their text. `text` is a plain word: it matches the subject, sender, recipients or text. */
export type PartField = 'text' | 'from' | 'to' | 'cc' | 'bcc' | 'subject' | 'body' | 'filename';

/** Fields whose complete value is compared. */
export type ExactField =
  | 'message-id'
  | 'address'
  | 'tag'
  | 'trace'
  | 'namespace'
  | 'pod'
  | 'workload'
  | 'in'
  | 'account'
  | 'domain'
  | 'authenticated'
  | 'provider'
  | 'audit';

/** Email authentication mechanisms whose results are compared. */
export type ResultField = 'spf' | 'dkim' | 'dmarc' | 'arc';

export type State = 'read' | 'unread' | 'flagged' | 'unflagged';

export type Thing = 'attachment' | 'code' | 'link' | 'html';

/**
 * Condition on one field. `typed` is the value as the user wrote it. Values for partial matches are folded by `foldText`; others are in
 * the normal form of their kind. `bytes` is a size, `at` a point in time in ms since 1970, `ms` a duration. Users cannot write
 * `accounts`: it is added to the queries of a key that is limited to several accounts.
 */
export type Term = { typed: string } & (
  | { field: PartField; part: string }
  | { field: 'header'; name: string; part: string | null }
  | { field: ExactField; value: string }
  | { field: 'accounts'; ids: Id[] }
  | { field: 'is'; state: State }
  | { field: 'has'; thing: Thing }
  | { field: 'larger' | 'smaller'; bytes: number }
  | { field: 'after' | 'before'; at: number }
  | { field: 'newer' | 'older'; ms: number }
  | { field: ResultField; result: AuthResult }
);

export type Field = Term['field'];

/** Lists a query's terms in order. Each comes with a flag that is true if an odd number of negations applies to it. */
export function termsOf(query: Query, negated = false): { term: Term; negated: boolean }[] {
  if ('all' in query) return query.all.flatMap((part) => termsOf(part, negated));
  if ('any' in query) return query.any.flatMap((part) => termsOf(part, negated));
  if ('not' in query) return termsOf(query.not, !negated);
  return [{ term: query, negated }];
}

/**
 * Work that a list costs a store, cheapest first. Times for SQLite and MongoDB, for the first page of 30,000 messages, as
 * multiples of a `page`:
 * - `page` reads the page's rows in index order; counters give the total.
 * - `index` also counts index entries: SQLite all in the scope (30 times), MongoDB the matching ones (2 times if 200
 *   match, 20 times if all do).
 * - `heads` reads a field of every message in the scope (300 and 30 times).
 * - `texts` reads the text of every message in the scope that passes the other filters (up to 800 and 60 times).
 */
export type ListWork = 'page' | 'index' | 'heads' | 'texts';

/** Parts of the content that terms read. */
export type SearchedPart = keyof Pick<
  MessageContent,
  | 'msgid'
  | 'cc'
  | 'bcc'
  | 'headers'
  | 'attachments'
  | 'authentication'
  | 'audit'
  | 'codes'
  | 'links'
  | 'submission'
  | 'traceId'
>;

/**
 * Facts about a field. `work`: the work that a term needs unless a trait decides it; `texts` also stands for anything read from an
 * email's content. `texts` and `parts`: what a term reads. `asksEnvelope`: a term reads the envelope. `isBeside`: the email itself does
 * not contain the answer, which depends on the message's place, its state or the time.
 */
type FieldFacts = {
  work: ListWork;
  texts?: (keyof SearchTexts)[];
  parts?: SearchedPart[];
  asksEnvelope?: true;
  isBeside?: true;
};

export const fields: Record<Field, FieldFacts> = {
  text: { work: 'texts', texts: ['subject', 'text', 'sender', 'recipients'] },
  from: { work: 'heads', texts: ['sender'] },
  to: { work: 'heads', texts: ['recipients'] },
  subject: { work: 'heads', texts: ['subject'] },
  body: { work: 'texts', texts: ['text'] },
  cc: { work: 'texts', parts: ['cc'] },
  bcc: { work: 'texts', parts: ['bcc'] },
  filename: { work: 'texts', parts: ['attachments'] },
  header: { work: 'texts', parts: ['headers'] },
  'message-id': { work: 'heads', parts: ['msgid'] },
  address: { work: 'index', asksEnvelope: true },
  trace: { work: 'index', parts: ['traceId'] },
  namespace: { work: 'index', asksEnvelope: true },
  pod: { work: 'index', asksEnvelope: true },
  workload: { work: 'index', asksEnvelope: true },
  authenticated: { work: 'texts', asksEnvelope: true },
  provider: { work: 'texts', parts: ['submission'] },
  audit: { work: 'texts', parts: ['audit'] },
  spf: { work: 'index', parts: ['authentication'] },
  dkim: { work: 'index', parts: ['authentication'] },
  dmarc: { work: 'index', parts: ['authentication'] },
  arc: { work: 'index', parts: ['authentication'] },
  has: { work: 'index', parts: ['attachments', 'codes', 'links'] },
  larger: { work: 'heads' },
  smaller: { work: 'heads' },
  is: { work: 'index', isBeside: true },
  tag: { work: 'index', isBeside: true },
  in: { work: 'index', isBeside: true },
  account: { work: 'index', isBeside: true },
  accounts: { work: 'index', isBeside: true },
  domain: { work: 'index', isBeside: true },
  after: { work: 'heads', isBeside: true },
  before: { work: 'heads', isBeside: true },
  newer: { work: 'heads', isBeside: true },
  older: { work: 'heads', isBeside: true },
};

/** Lists the terms that the email itself does not answer, so `matches` cannot evaluate them. */
export function termsOutsideContent(query: Query): Term[] {
  return termsOf(query).flatMap(({ term }) => (fields[term.field].isBeside ? [term] : []));
}
