import Joi from 'joi';
import type { Mailbox } from '#core/mailboxes/mailbox.ts';
import { listShape } from './page.ts';
import { requestShape } from './request-shape.ts';
import { answerOf, at, wholeNumber } from './response-shape.ts';
import { textValue } from './values.ts';

/** Schema of the path of a mailbox. */
export const pathValue = () =>
  textValue(1, 255, {
    pattern: '^(?![\\s/])[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\s/\\u0000-\\u001f\\u007f-\\u009f]$',
  })
    .description('No space or slash at either end; unique within the account, without regard to case.')
    .example('Archive/2026');

export const mailboxCreation = requestShape<{ path: string }>(
  'MailboxCreation',
  { path: pathValue().required() },
  { example: { path: 'Archive/2026' } },
);

export const mailboxUpdate = requestShape<{ path: string }>(
  'MailboxUpdate',
  { path: { names: ['path', 'name'], schema: pathValue() } },
  { atLeastOne: true, example: { path: 'Archive/2027' } },
);

export const mailboxShape = answerOf<Mailbox>()('Mailbox', {
  id: wholeNumber().min(1).example(21),
  account_id: wholeNumber().min(1).example(4),
  path: Joi.string().example('INBOX'),
  isSystem: [
    Joi.boolean().example(true).description('A system mailbox is neither renamed nor deleted.'),
    ({ system }) => system,
  ],
  totalMessages: [wholeNumber().example(1), ({ total }) => total],
  totalUnreadMessages: [wholeNumber().example(1), ({ unread }) => unread],
  created_at: at(({ createdAt }) => createdAt),
});

export const mailboxList = listShape('MailboxList', mailboxShape);

/** Answer to the emptying of a mailbox: the number of messages. */
export const emptied = answerOf<number>()('Emptied', {
  deleted: [wholeNumber().example(12), (deleted) => deleted],
});
