import { Invalid, type Violation } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { filterWith, type MessageFilter } from '#core/messages/message-filter.ts';
import type { Condition } from '#core/messages/near-misses.ts';
import { type Query, type Term, termsOf } from '#core/messages/query.ts';
import type { Page } from '#core/page.ts';
import { readTerm } from '#core/query/values.ts';
import { pageFields } from './page.ts';
import { type Fields, requestShape } from './request-shape.ts';
import { word } from './response-shape.ts';
import { nameOf, searchText } from './search.ts';
import { queryFlag, queryInteger, queryText, textValue } from './values.ts';

/**
 * List query without its filters. `wait` is in seconds, and ends early when `count` messages match. `expect`: the wait is for no match.
 * `explain`: 1 to include near misses. `include`: returns the page's only message in full.
 */
type Paging = Page & {
  after?: number;
  since?: number;
  wait?: number;
  count: number;
  expect?: 'none';
  explain: number;
  include?: 'message';
};

const termNames = ['to', 'from', 'subject', 'text', 'address', 'tag', 'trace'] as const;

/** Terms that have their own parameter. Null for a blank parameter. */
type TermFilters = { [name in (typeof termNames)[number]]?: Term | null };

/** Filters of both lists. The mailbox comes from the path. `after` is omitted here because in a query it is a message's id. */
type Filters = Pick<MessageFilter, 'unread' | 'flagged' | 'hasAttachments' | 'query'> & TermFilters;

type AllFilters = Filters & Pick<MessageFilter, 'mailboxPath'>;

/** List query. Its filters have the core's names and values. */
export type ListQuery = Paging & AllFilters;

const most = Number.MAX_SAFE_INTEGER;

const paging: Fields<Paging> = {
  ...pageFields,
  after: queryInteger(0, most)
    .empty('0')
    .description(
      'Only messages that arrived after this one, even if it has since been deleted. 0: all messages.',
    ),
  since: queryInteger(0, most).description('Only messages that arrived after this list cursor.'),
  wait: queryInteger(0, 120).description('Seconds to wait. Responds as soon as `count` messages match.'),
  count: queryInteger(1, 200, 1),
  expect: word('none').description(
    'With `wait`: returns 200 if no message matches in that time, or 409 with the message as soon as one matches.',
  ),
  explain: queryInteger(0, 1, 0).description(
    'With `wait`, 1 adds `near_misses` if too few messages match: up to 5 messages that arrived, with the conditions that each one does not meet.',
  ),
  include: word('message').description(
    'If the page has exactly one message, `message` contains it in full, as in `GET /api/messages/{id}`.',
  ),
};

const term = (name: 'to' | 'from' | 'subject' | 'text', most: number, description: string) =>
  queryText(most)
    .empty('')
    .custom((typed: string) => readTerm(name === 'text' ? 'body' : name, typed))
    .description(description);

/** Filter by an exact value. As in every filter, an empty value counts as absent. White space alone is refused. */
const exact = (name: 'address' | 'tag' | 'trace', most: number, description: string) =>
  textValue(1, most)
    .empty('')
    .custom((typed: string, helpers) =>
      name === 'address' && isSpaced(typed)
        ? helpers.message({ custom: 'contains a space: write + as %2B in a URL' })
        : (readTerm(name, typed) ?? helpers.message({ custom: 'must not be blank' })),
    )
    .description(description);

/** Checks whether a `+` in an address was decoded as a space. */
const isSpaced = (typed: string) => /\S\s+\S/.test(typed) && !typed.includes('"');

/** Filters by their query parameters. Each schema converts the text to the value that the store compares. */
const filters: Fields<Filters> = {
  query: { names: ['q'], schema: searchText().empty('') },
  to: term('to', 320, 'Part of a recipient.'),
  from: term('from', 320, 'Text in the sender.'),
  subject: term('subject', 998, 'Text in the subject.'),
  text: term('text', 1000, 'Text in the message, or in its HTML as text, like `body:` in `q`.'),
  address: exact('address', 320, 'Exact recipient address, including its tag.'),
  tag: exact('tag', limits.messages.tagCharacters, 'Exact tag.'),
  trace: exact('trace', 32, 'Exact trace id from `traceparent`.'),
  unread: queryFlag().empty('').description('true: only unread messages. false: only read messages.'),
  flagged: {
    names: ['is_flagged', 'isFlagged', 'flagged'],
    schema: queryFlag().empty('').description('true: only flagged messages. false: only unflagged messages.'),
  },
  hasAttachments: queryFlag()
    .empty('')
    .description('true: only messages with attachments. false: only messages without.'),
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
    schema: queryText(255)
      .empty('')
      .description('Only mailboxes with this path. Without it, the list omits copies in Sent.'),
  },
});

/** Refuses parameters that have no effect without others. Throws Invalid. */
export function requireWait({ wait, expect, explain, count }: Paging): void {
  const violations: Violation[] = [];
  const isWait = wait !== undefined;
  if (expect !== undefined && !isWait) violations.push({ field: 'expect', message: 'needs wait' });
  if (explain === 1 && !isWait) violations.push({ field: 'explain', message: 'needs wait' });
  if (expect !== undefined && count > 1)
    violations.push({ field: 'count', message: 'must be 1 with expect=none' });
  if (violations.length > 0) throw new Invalid(violations);
}

export function filterOf(asked: AllFilters & Partial<Paging>): MessageFilter {
  const { page, limit, after, since, wait, count, expect, explain, include, query, ...named } = asked;
  const { to, from, subject, text, address, tag, trace, ...filter } = named;
  const terms = termNames.flatMap((name) => named[name] ?? []);
  return filterWith(filter, { all: [...terms, ...partsOf(query)] });
}

const partsOf = (query: Query = { all: [] }): Query[] => ('all' in query ? query.all : [query]);

/**
 * Returns the conditions that a message must match, by parameter name. Conditions in `q` have their field's name. Words, and
 * parts with several fields, have the name `q`.
 */
export function conditionsOf(asked: AllFilters): Condition[] {
  const { query, unread, flagged, hasAttachments, mailboxPath } = asked;
  const flags = { unread, flagged, hasAttachments, mailboxPath };
  const byFlags = Object.entries(flags).flatMap(([key, value]) => {
    if (value === undefined) return [];
    return [{ name: allMessagesQuery.fields[key]?.names[0] ?? key, filter: { [key]: value } }];
  });
  const named = termNames.flatMap((name) => (asked[name] ? [{ name, part: asked[name] }] : []));
  const parts = partsOf(query).map((part) => ({ name: nameOfPart(part), part }));
  const byName = Map.groupBy<string, { name: string; part: Query }>([...named, ...parts], ({ name }) => name);
  const byTerms = [...byName].map(([name, same]) => ({
    name,
    filter: filterWith({}, { all: same.map(({ part }) => part) }),
  }));
  return [...byFlags, ...byTerms];
}

/** Returns the name of the only field in a search part, or `q` for words or several fields. */
function nameOfPart(part: Query): string {
  const [name = 'text', ...others] = new Set(termsOf(part).map(({ term }) => nameOf(term)));
  return name === 'text' || others.length > 0 ? 'q' : name;
}
