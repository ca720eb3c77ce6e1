import { parseAddress } from '#core/accounts/address.ts';
import { foldText, searchWords } from '#core/extraction/search-text.ts';
import type { MessageFilter } from '#core/messages/message-filter.ts';
import type { Page } from '#core/page.ts';
import { pageFields } from './page.ts';
import { type Fields, requestShape } from './request-shape.ts';
import { queryFlag, queryInteger, queryText } from './values.ts';

/** Query of a list without its filters. `wait` is in seconds, and ends early once `count` messages match. */
type Paging = Page & { after?: number; since?: number; wait?: number; count: number };

/**
 * Filters of both lists. The mailbox comes from the path. `after` of a query is the id of a message, and so no filter here.
 */
type Filters = Omit<MessageFilter, 'accountId' | 'mailboxId' | 'mailboxPath' | 'after'>;

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

/** Returns the normal form of a whole address. Folds the text of a part of one. */
const foldedAddress = (text: string) => foldText(parseAddress(text)?.address ?? text);

/** Schema of `q`, for lists and for bulk changes. */
export const searchText = () =>
  queryText(200)
    .custom(searchWords)
    .description('Words that all occur in subject, sender, recipients or text; "a phrase" is one.');

/** Filters by their names in a query. Each schema converts the text to the value that the store compares. */
const filters: Fields<Filters> = {
  words: { names: ['q'], absent: '', schema: searchText() },
  to: { names: ['to'], absent: '', schema: queryText(320).custom(foldedAddress).description('A recipient.') },
  from: {
    names: ['from'],
    absent: '',
    schema: queryText(320).custom(foldedAddress).description('The sender.'),
  },
  subject: {
    names: ['subject'],
    absent: '',
    schema: queryText(998).custom(foldText).description('Part of the subject.'),
  },
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
export function filterOf({ page, limit, after, since, wait, count, ...filter }: ListQuery): MessageFilter {
  return filter;
}
