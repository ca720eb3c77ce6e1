import { parseAddress } from '#core/accounts/address.ts';
import { foldText, searchWords } from '#core/extraction/search-text.ts';
import type { MessageFilter } from '#core/messages/message.ts';
import type { Page } from '#core/page.ts';
import { pageFields } from './page.ts';
import { type Fields, requestShape } from './request-shape.ts';
import { queryInteger, queryText } from './values.ts';

/** How a list of messages is asked for: `wait` in seconds; `count` messages end it early. */
export type ListQuery = Page & { q?: string; after?: number; since?: number; wait?: number; count: number };

const most = Number.MAX_SAFE_INTEGER;

const fields: Fields<ListQuery> = {
  ...pageFields,
  q: {
    names: ['q'],
    schema: queryText(200).description(
      'Words that all occur in subject, sender, recipients or text; "a phrase" is one.',
    ),
  },
  after: {
    names: ['after'],
    schema: queryInteger(1, most).description('Only messages that came later than this one, deleted or not.'),
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

export const mailboxMessagesQuery = requestShape<ListQuery>('MailboxMessagesQuery', fields);

export const allMessagesQuery = requestShape<
  ListQuery & { to?: string; from?: string; subject?: string; mailbox?: string }
>('MessagesQuery', {
  ...fields,
  to: { names: ['to'], schema: queryText(320).description('A recipient.') },
  from: { names: ['from'], schema: queryText(320).description('The sender.') },
  subject: { names: ['subject'], schema: queryText(998).description('Part of the subject.') },
  mailbox: {
    names: ['mailbox'],
    schema: queryText(255).description(
      'Only mailboxes of this path. Without it, copies in Sent are left out.',
    ),
  },
});

type FilterQuery = { q?: string; to?: string; from?: string; subject?: string; mailbox?: string };

/** The query as the store compares: words and texts folded, addresses in their normal form where they are whole ones. */
export function filterOf({ q, to, from, subject, mailbox }: FilterQuery): MessageFilter {
  const words = searchWords(q ?? '');
  const address = (text: string) => foldText(parseAddress(text)?.address ?? text);
  return {
    ...(words.length > 0 ? { words } : {}),
    ...(to === undefined ? {} : { to: address(to) }),
    ...(from === undefined ? {} : { from: address(from) }),
    ...(subject === undefined ? {} : { subject: foldText(subject) }),
    ...(mailbox === undefined ? {} : { mailboxPath: mailbox }),
  };
}
