import type { Id } from '#core/ids.ts';
import { offsetOf, type Page } from '#core/page.ts';

/** Selects the messages of a list. An absent field lets all pass. Words and texts are folded by `foldText`. */
export type MessageFilter = {
  accountId?: Id;
  mailboxId?: Id;
  /** Event number after which the messages were committed. */
  after?: number;
  /** Path of the mailboxes. Copies in Sent are left out without it and `mailboxId`. */
  mailboxPath?: string;
  unread?: boolean;
  flagged?: boolean;
  hasAttachments?: boolean;
  to?: string;
  from?: string;
  subject?: string;
  /** Words that each occur in the subject, the sender, the recipients or the text. */
  words?: string[];
};

/**
 * Work that a list costs a store, the cheapest first. Times of the stores side by side, for the first page of 30,000
 * messages, as multiples of a `page`:
 * - `page` reads the rows of the page in the order of an index; counters give the total.
 * - `index` also counts index entries: SQLite all of the scope (30 times), MongoDB those that match (2 times where 200
 *   match, 20 times where all do).
 * - `heads` reads a field of every message of the scope (300 and 30 times).
 * - `texts` reads the text of every message of the scope that the other filters let pass (up to 800 and 60 times).
 */
export type ListWork = 'page' | 'index' | 'heads' | 'texts';

/**
 * Work that each filter takes. A store has a table for each kind of work, so that the compiler reports a new filter as
 * missing there.
 */
export const filterWork = {
  accountId: 'page',
  mailboxId: 'page',
  after: 'page',
  mailboxPath: 'index',
  unread: 'index',
  flagged: 'index',
  hasAttachments: 'index',
  to: 'heads',
  from: 'heads',
  subject: 'heads',
  words: 'texts',
} as const satisfies Record<keyof Required<MessageFilter>, ListWork>;

type FilterName = keyof typeof filterWork;

/** Names of the filters that take this work. */
export type FilterOf<Work extends ListWork> = {
  [Name in FilterName]: (typeof filterWork)[Name] extends Work ? Name : never;
}[FilterName];

/** Filters of true or false. */
export type FlagFilter = Exclude<FilterOf<'index'>, 'mailboxPath'>;

const works: ListWork[] = ['page', 'index', 'heads', 'texts'];

/** Rows before a page that a store may skip one by one. */
const shortSkip = 2000;

/**
 * Returns the work of a list: that of its most expensive filter. A page far behind the first takes `heads`, since the rows
 * before it are skipped one by one.
 */
export function workOf(filter: MessageFilter, page?: Page): ListWork {
  const taken = new Set<ListWork>();
  for (const [name, work] of Object.entries(filterWork)) {
    if (isSet(filter[name as FilterName])) taken.add(work);
  }
  if (page !== undefined && offsetOf(page) > shortSkip) taken.add('heads');
  return works.findLast((work) => taken.has(work)) ?? 'page';
}

function isSet(value: MessageFilter[FilterName]): boolean {
  return Array.isArray(value) ? value.length > 0 : value !== undefined;
}
