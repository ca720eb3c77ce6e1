import type { Id } from '#core/ids.ts';
import { offsetOf, type Page } from '#core/page.ts';
import { fields, type ListWork, type Query, termsOf } from './query.ts';
import { traitTest } from './traits.ts';

/** Selects messages for a list. An absent field matches all messages. */
export type MessageFilter = {
  accountId?: Id;
  mailboxId?: Id;
  /** Number of the event after which the messages were committed. */
  after?: number;
  /** Path of the mailboxes. If it, `mailboxId` and a term that names a path are all absent, copies in Sent are omitted. */
  mailboxPath?: string;
  unread?: boolean;
  flagged?: boolean;
  hasAttachments?: boolean;
  /** Terms that the other fields do not express. */
  query?: Query;
};

/**
 * Work that each filter needs. Each store has a table for each kind of work, so the compiler reports a new filter that is missing there.
 */
const filterWork = {
  accountId: 'page',
  mailboxId: 'page',
  after: 'page',
  mailboxPath: 'index',
  unread: 'index',
  flagged: 'index',
  hasAttachments: 'index',
} as const satisfies Record<Exclude<keyof MessageFilter, 'query'>, ListWork>;

type FilterName = keyof typeof filterWork;

export type FlagFilter = 'unread' | 'flagged' | 'hasAttachments';

const works: ListWork[] = ['page', 'index', 'heads', 'texts'];

/** Maximum number of rows before a page that a store may skip one by one. */
const shortSkip = 2000;

/**
 * Returns the work that a list needs: that of its most expensive filter. A page far beyond the first needs `heads`, because the rows
 * before it are skipped one by one.
 */
export function workOf(filter: MessageFilter, page?: Page): ListWork {
  const taken = new Set<ListWork>();
  for (const [name, work] of Object.entries(filterWork)) {
    if (filter[name as FilterName] !== undefined) taken.add(work);
  }
  for (const { term } of termsOf(filter.query ?? { all: [] }))
    taken.add(traitTest(term)?.exact ? 'index' : fields[term.field].work);
  if (page !== undefined && offsetOf(page) > shortSkip) taken.add('heads');
  return works.findLast((work) => taken.has(work)) ?? 'page';
}

/** Checks whether a list of several mailboxes includes copies in Sent. It does if it names a path. */
export function showsCopies({ mailboxPath, query }: MessageFilter): boolean {
  if (mailboxPath !== undefined) return true;
  return query !== undefined && termsOf(query).some(({ term, negated }) => term.field === 'in' && !negated);
}

/**
 * Adds a query to a filter. Terms that all messages must match become filter fields if possible, because counters and indexes serve these
 * fields.
 */
export function filterWith(filter: MessageFilter, query: Query): MessageFilter {
  const parts = 'all' in query ? query.all : [query];
  const rest: Query[] = [];
  let narrowed = filter;
  for (const part of parts) {
    const [name, value] = fieldOf(part) ?? [];
    if (name === undefined || narrowed[name] !== undefined) rest.push(part);
    else narrowed = { ...narrowed, [name]: value };
  }
  return rest.length === 0 ? narrowed : { ...narrowed, query: { all: rest } };
}

function fieldOf(query: Query): [name: FlagFilter | 'mailboxPath', value: boolean | string] | null {
  if ('field' in query && query.field === 'in') return ['mailboxPath', query.typed];
  const [term, wanted] = 'not' in query ? [query.not, false] : [query, true];
  if (!('field' in term)) return null;
  if (term.field === 'has') return term.thing === 'attachment' ? ['hasAttachments', wanted] : null;
  if (term.field !== 'is') return null;
  const { state } = term;
  if (state === 'read' || state === 'unread') return ['unread', (state === 'unread') === wanted];
  return ['flagged', (state === 'flagged') === wanted];
}
