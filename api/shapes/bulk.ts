import Joi from 'joi';
import { pathValue } from '#api/nouns/mailboxes.ts';
import { invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import type { BulkResult } from '#core/messages/change-many.ts';
import type { BulkAction, ListPlace, Selection } from '#core/messages/message.ts';
import { filterWith, type MessageFilter } from '#core/messages/message-filter.ts';
import { termsOf } from '#core/messages/query.ts';
import { tagValue } from './message-request.ts';
import { requestShape } from './request-shape.ts';
import { answerOf, nullable, wholeNumber } from './response-shape.ts';
import { everything, searchText } from './search.ts';
import { flagValue, idValue } from './values.ts';

const actions = ['read', 'unread', 'flag', 'unflag', 'move', 'delete', 'tag', 'untag'] as const;

/** Body of a bulk change: either a query, which may be empty, or ids. */
type BulkRequest = Pick<MessageFilter, 'query' | 'accountId' | 'mailboxId' | 'mailboxPath'> & {
  ids?: number[];
  action: (typeof actions)[number];
  tag?: string;
  dryRun: boolean;
  cursor?: ListPlace | null;
};

/** Cursor: the last message's number and id, joined by a period. */
const cursorText = () =>
  Joi.string()
    .allow(null)
    .custom((text: string, helpers) => {
      const [, number, id] = (/^(\d{1,16})\.(\d{1,16})$/.exec(text) ?? []).map(Number);
      if (Number.isSafeInteger(number) && Number.isSafeInteger(id)) return { number, id };
      return helpers.message({ custom: 'must be a cursor from a response' });
    })
    .example('5012.881');

export const bulkRequest = requestShape<BulkRequest>(
  'BulkChange',
  {
    query: { names: ['q'], schema: searchText() },
    ids: {
      schema: Joi.array().items(idValue()).max(limits.answers.bulkIds),
      mostItems: 'answers.bulkIds',
    },
    accountId: idValue().description('Only messages in this account.'),
    mailboxId: idValue().description('Only messages in this mailbox.'),
    action: Joi.string().valid(...actions),
    mailboxPath: {
      names: ['mailbox'],
      schema: pathValue().description(
        'Path of the mailbox to move each message to, within its own account. Only with `move`.',
      ),
    },
    tag: tagValue().description('Tag to add or remove. Only with `tag` and `untag`.'),
    dryRun: flagValue().default(false).description('Whether to count the messages without changing any.'),
    cursor: cursorText().description('Cursor from an earlier response, to continue from there.'),
  },
  {
    oneOf: [
      ['query', 'action'],
      ['ids', 'action'],
    ],
    example: { q: 'newsletter', action: 'read', dry_run: true },
  },
);

/** Returns the messages that a request selects and the action on them, which is null for a dry run. Throws Invalid. */
export function bulkOf({ query, ids, accountId, mailboxId, dryRun, ...asked }: BulkRequest): {
  selection: Selection;
  action: BulkAction | null;
} {
  if (query !== undefined && ids !== undefined) throw invalid('ids', 'cannot be combined with q');
  if (query && termsOf(query).length === 0)
    throw invalid('query', 'must contain a word or an operator; leave it empty for all messages');
  const place = {
    ...(accountId === undefined ? {} : { accountId }),
    ...(mailboxId === undefined ? {} : { mailboxId }),
  };
  const action = actionOf(asked);
  return {
    selection:
      ids === undefined
        ? { filter: filterWith(place, query || everything) }
        : { ...place, ids: [...new Set(ids)] },
    action: dryRun ? null : action,
  };
}

function actionOf({
  action,
  mailboxPath,
  tag,
}: Pick<BulkRequest, 'action' | 'mailboxPath' | 'tag'>): BulkAction {
  if (mailboxPath !== undefined && action !== 'move')
    throw invalid(
      'mailboxPath',
      "applies only to the action move; to select a mailbox's messages, use mailbox_id",
    );
  if (tag !== undefined && action !== 'tag' && action !== 'untag')
    throw invalid(
      'tag',
      'applies only to the actions tag and untag; to select messages with a tag, use tag: in q',
    );
  switch (action) {
    case 'read':
    case 'unread':
      return { do: 'update', change: { isRead: action === 'read' } };
    case 'flag':
    case 'unflag':
      return { do: 'update', change: { isFlagged: action === 'flag' } };
    case 'move':
      if (mailboxPath === undefined) throw invalid('mailboxPath', 'is required to move messages');
      return { do: 'move', path: mailboxPath };
    case 'tag':
    case 'untag':
      if (tag === undefined) throw invalid('tag', 'is required to tag messages');
      return { do: action, tag };
    case 'delete':
      return { do: 'remove' };
  }
}

export const bulkShape = answerOf<BulkResult>()('BulkResult', {
  matched: wholeNumber().example(12),
  changed: wholeNumber()
    .example(11)
    .description(
      'Number of changed messages. A message that already has the maximum number of tags does not change and does not count.',
    ),
  done: [Joi.boolean<boolean>().example(true), ({ cursor }) => cursor === null],
  cursor: [
    nullable(Joi.string()).example(null).description('Cursor for the next request. Repeat all other fields.'),
    ({ cursor }) => cursor && `${cursor.number}.${cursor.id}`,
  ],
});
