import { limits } from '#core/limits.ts';
import { filterWith, type MessageFilter } from '#core/messages/message-filter.ts';
import type { Query, Term } from '#core/messages/query.ts';
import type { Page } from '#core/page.ts';
import { readTerm } from '#core/query/values.ts';
import { pageFields } from './page.ts';
import { type Fields, requestShape } from './request-shape.ts';
import { searchText } from './search.ts';
import { queryFlag, queryInteger, queryText, textValue } from './values.ts';

/** Query of a list without its filters. `wait` is in seconds, and ends early once `count` messages match. */
type Paging = Page & { after?: number; since?: number; wait?: number; count: number };

/** Terms that have a parameter of their own. Null for one that is blank. */
type TermFilters = { [name in 'to' | 'from' | 'subject' | 'address' | 'tag']?: Term | null };

/**
 * Filters of both lists. The mailbox comes from the path. `after` of a query is the id of a message, and so no filter here.
 */
type Filters = Pick<MessageFilter, 'unread' | 'flagged' | 'hasAttachments' | 'query'> & TermFilters;

/** Query of a list. Its filters have the names and values of the core. */
export type ListQuery = Paging & Filters & Pick<MessageFilter, 'mailboxPath'>;

const most = Number.MAX_SAFE_INTEGER;

const paging: Fields<Paging> = {
  ...pageFields,
  after: {
    names: ['after'],
    schema: queryInteger(0, most).description(
      'Only messages that came later than this one, deleted or not. 0: all messages.',
    ),
    absent: '0',
  },
  since: {
    names: ['since'],
    schema: queryInteger(0, most).description('Only messages that came later than this cursor of a list.'),
  },
  wait: {
    names: ['wait'],
    schema: queryInteger(0, 120).description(
      'Answer as soon as `count` messages are there, at the latest after so many seconds.',
    ),
  },
  count: { names: ['count'], schema: queryInteger(1, 200, 1), default: 1 },
};

const term = (name: 'to' | 'from' | 'subject', most: number, description: string) => ({
  names: [name] as [string],
  absent: '',
  schema: queryText(most)
    .custom((typed: string) => readTerm(name, typed))
    .description(description),
});

/** Filter by an exact value. An empty one is absent, as every filter; white space alone is refused. */
const exact = (name: 'address' | 'tag', most: number, description: string) => ({
  names: [name] as [string],
  absent: '',
  schema: textValue(1, most)
    .custom(
      (typed: string, helpers) => readTerm(name, typed) ?? helpers.message({ custom: 'must not be blank' }),
    )
    .description(description),
});

/** Filters by their names in a query. Each schema converts the text to the value that the store compares. */
const filters: Fields<Filters> = {
  query: { names: ['q'], absent: '', schema: searchText() },
  to: term('to', 320, 'A recipient, or a part of one.'),
  from: term('from', 320, 'The sender, or a part of it.'),
  subject: term('subject', 998, 'Part of the subject.'),
  address: exact('address', 320, 'Exactly the address that it was sent to, with its tag.'),
  tag: exact('tag', limits.messages.tagCharacters, 'Exactly one of its tags.'),
  unread: {
    names: ['unread'],
    absent: '',
    schema: queryFlag().description('Only unread messages, or with `false` only read ones.'),
  },
  flagged: {
    names: ['is_flagged', 'isFlagged', 'flagged'],
    absent: '',
    schema: queryFlag().description('Only flagged messages, or with `false` only others.'),
  },
  hasAttachments: {
    names: ['has_attachments', 'hasAttachments'],
    absent: '',
    schema: queryFlag().description('Only messages with attachments, or with `false` only those without.'),
  },
};

export const mailboxMessagesQuery = requestShape<Paging & Filters>('MailboxMessagesQuery', {
  ...paging,
  ...filters,
});

export const allMessagesQuery = requestShape<ListQuery>('MessagesQuery', {
  ...paging,
  ...filters,
  mailboxPath: {
    names: ['mailbox'],
    absent: '',
    schema: queryText(255).description(
      'Only mailboxes of this path. Without it, copies in Sent are left out.',
    ),
  },
});

/** Returns the filter of a query, in terms of the core. */
export function filterOf(asked: ListQuery): MessageFilter {
  const { page, limit, after, since, wait, count, query, ...named } = asked;
  const { to, from, subject, address, tag, ...filter } = named;
  const terms: (Query | null | undefined)[] = [to, from, subject, address, tag];
  const all = [...terms.filter((one) => one !== null && one !== undefined), ...partsOf(query)];
  return filterWith(filter, { all });
}

const partsOf = (query: Query = { all: [] }): Query[] => ('all' in query ? query.all : [query]);
