import Joi from 'joi';
import type { Mailbox } from '#core/mailboxes/mailbox.ts';
import type { Page } from '#core/page.ts';
import { listShape, pageFields } from './page.ts';
import { requestShape } from './request-shape.ts';
import { instant, responseShape, type Wire, wholeNumber } from './response-shape.ts';
import { presentInstant, textValue } from './values.ts';

const path = () =>
  textValue(1, 255, {
    pattern: '^(?![\\s/])[^\\u0000-\\u001f\\u007f-\\u009f]*[^\\s/\\u0000-\\u001f\\u007f-\\u009f]$',
  })
    .description('No space or slash at either end; unique within the account, without regard to case.')
    .example('Archive/2026');

export const mailboxCreation = requestShape<{ path: string }>(
  'MailboxCreation',
  { path: { names: ['path'], schema: path(), required: true } },
  { example: { path: 'Archive/2026' } },
);

export const mailboxUpdate = requestShape<{ path: string }>(
  'MailboxUpdate',
  { path: { names: ['path', 'name'], schema: path() } },
  { atLeastOne: true, example: { path: 'Archive/2027' } },
);

export const mailboxQuery = requestShape<Page>('MailboxQuery', pageFields);

export const mailboxShape = responseShape('Mailbox', {
  id: wholeNumber().min(1).example(21),
  account_id: wholeNumber().min(1).example(4),
  path: Joi.string().example('INBOX'),
  isSystem: Joi.boolean().example(true).description('A system mailbox is neither renamed nor deleted.'),
  totalMessages: wholeNumber().example(1),
  totalUnreadMessages: wholeNumber().example(1),
  created_at: instant(),
});

export const mailboxList = listShape('MailboxList', mailboxShape);

/** Answer to the emptying of a mailbox. */
export const emptied = responseShape('Emptied', { deleted: wholeNumber().example(12) });

export const presentEmptied = (deleted: number): Wire<typeof emptied> => ({ deleted });

export function presentMailbox(mailbox: Mailbox): Wire<typeof mailboxShape> {
  return {
    id: mailbox.id,
    account_id: mailbox.accountId,
    path: mailbox.path,
    isSystem: mailbox.system,
    totalMessages: mailbox.total,
    totalUnreadMessages: mailbox.unread,
    created_at: presentInstant(mailbox.createdAt),
  };
}
