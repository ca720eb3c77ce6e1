import type { Filter } from 'mongodb';
import type { MessageRow } from '#adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';
import { type Query, type Term, termsOf } from '#core/messages/query.ts';
import { keyOf, type TraitTest, traitTest } from '#core/messages/traits.ts';
import { textCondition } from './message-search.ts';
import { anyTraitPattern, traitPattern } from './trait-letters.ts';

type Rows = Filter<MessageRow>;

/**
 * Facts from the store for a query's conditions: the messages whose text is in pieces, the mailboxes and accounts that a term names, the
 * messages whose content matches a term, and whether unfilled rows exist.
 */
export type QueryFacts = {
  now: Date;
  inPieces: Map<Term, Id[]>;
  places: Map<Term, Rows>;
  byContent: Map<Term, Id[]>;
  unfilled: boolean;
};

const all: Rows = {};
const none: Rows = { _id: { $in: [] } };
const unfilledRow: Rows = { traits: null };

/** Condition that determines whether a row matches a query. */
export function exactCondition(query: Query, facts: QueryFacts): Rows {
  if ('all' in query) {
    return combined(
      '$and',
      query.all.map((part) => exactCondition(part, facts)),
    );
  }
  if ('any' in query) {
    const [keys, tests] = facts.unfilled ? [[], []] : [query.any.map(keyIn), query.any.map(testIn)];
    if (tests.length > 1 && tests.every((test) => test !== null)) {
      if (tests.every(({ exact }) => exact)) return anyTraitPattern(tests);
      if (keys.every((key) => key !== null)) return { ...anyTraitPattern(tests), keys: { $in: keys } };
    }
    return combined(
      '$or',
      query.any.map((part) => exactCondition(part, facts)),
    );
  }
  if ('not' in query) return notCondition(query.not, facts);
  const row = onRow(query, facts);
  const ids = facts.byContent.get(query) ?? [];
  if (row === null) return { _id: { $in: ids } };
  return ids.length === 0 ? row : { $or: [row, { _id: { $in: ids } }] };
}

const keyIn = (query: Query): string | null => ('field' in query ? keyOf(query) : null);
const testIn = (query: Query): TraitTest | null => ('field' in query ? traitTest(query) : null);

/** Condition for the opposite of a query. A pattern is matched with index entries, but a negated condition with rows. */
function notCondition(query: Query, facts: QueryFacts): Rows {
  const test = 'field' in query && !facts.unfilled ? traitTest(query) : null;
  return test?.exact ? traitPattern(test, true) : { $nor: [exactCondition(query, facts)] };
}

/** Condition that every matching row meets, whatever the contents of emails. */
export function wideCondition(query: Query, facts: QueryFacts): Rows {
  if ('all' in query) {
    return combined(
      '$and',
      query.all.map((part) => wideCondition(part, facts)),
    );
  }
  if ('any' in query) {
    const parts = query.any.map((part) => wideCondition(part, facts));
    return parts.includes(all) ? all : combined('$or', parts);
  }
  if ('not' in query) return onRowAlone(query.not, facts) ? exactCondition(query, facts) : all;
  return wideTerm(query, facts);
}

/** Condition that every row matching a term meets. */
export function wideTerm(term: Term, facts: QueryFacts): Rows {
  const row = onRow(term, facts) ?? contentHint(term);
  if (row === all || !facts.unfilled || traitTest(term) === null) return row;
  return { $or: [row, unfilledRow] };
}

/** Returns which messages' contents a term needs: those of all messages, or only those of unfilled rows. */
export function contentNeed(term: Term, facts: QueryFacts): 'all' | 'unfilled' | null {
  if (onRow(term, facts) === null) return 'all';
  return facts.unfilled && traitTest(term) !== null ? 'unfilled' : null;
}

function onRowAlone(query: Query, facts: QueryFacts): boolean {
  return termsOf(query).every(({ term }) => contentNeed(term, facts) === null);
}

/** Condition for a term on a filled row. Null if the row's content must be read. */
function onRow(term: Term, facts: QueryFacts): Rows | null {
  const text = textCondition(term, facts.inPieces);
  if (text !== null) return text;
  const test = traitTest(term);
  const key = keyOf(term);
  if (key !== null && test !== null) return { ...traitPattern(test), keys: key };
  if (test?.exact) return traitPattern(test);
  switch (term.field) {
    case 'in':
    case 'account':
    case 'domain':
      return facts.places.get(term) ?? none;
    case 'accounts':
      return { accountId: { $in: term.ids } };
    case 'is':
      return states[term.state];
    case 'has':
      return { hasAttachments: true };
    case 'larger':
      return { sizeBytes: { $gt: term.bytes } };
    case 'smaller':
      return { sizeBytes: { $lt: term.bytes } };
    case 'after':
      return { receivedAt: { $gte: new Date(term.at) } };
    case 'before':
      return { receivedAt: { $lt: new Date(term.at) } };
    case 'newer':
      return { receivedAt: { $gte: new Date(facts.now.getTime() - term.ms) } };
    case 'older':
      return { receivedAt: { $lt: new Date(facts.now.getTime() - term.ms) } };
    case 'message-id':
      return { msgid: { $in: [term.value, `<${term.value}>`] } };
    default:
      return null;
  }
}

/** Condition on a row that follows from a term on the content. */
function contentHint(term: Term): Rows {
  if (term.field === 'filename') return { hasAttachments: true };
  if (term.field === 'authenticated') return { 'envelope.authenticatedAs.name': { $type: 'string' } };
  const test = traitTest(term);
  return test === null ? all : traitPattern(test);
}

const states = {
  read: { isRead: true },
  unread: { isRead: false },
  flagged: { isFlagged: true },
  unflagged: { isFlagged: false },
} as const;

function combined(operator: '$and' | '$or', parts: Rows[]): Rows {
  const [first = operator === '$and' ? all : none, ...rest] = parts.filter((part) => part !== all);
  return rest.length === 0 ? first : { [operator]: [first, ...rest] };
}
