import Joi from 'joi';
import type { MessageList, MessageSummary } from '#core/messages/message.ts';
import type { Page } from '#core/page.ts';
import { listFields, presentList } from './page.ts';
import {
  instant,
  listOf,
  nullable,
  responseShape,
  text,
  url,
  type Wire,
  wholeNumber,
} from './response-shape.ts';
import { presentInstant } from './values.ts';

/** Fields of a message that lists have, and the full message too. */
export const summaryFields = {
  id: wholeNumber().min(1).example(7),
  msgid: nullable(text()).example('<b7e1@shop.example>'),
  account_id: wholeNumber().min(1).example(4),
  mailbox_id: wholeNumber().min(1).example(21),
  subject: text().example('Welcome'),
  intro: text().example('Your code is 493817.').description('The first 140 characters of the text.'),
  code: nullable(text()).example('493817').description('The first of the codes.'),
  main_link: nullable(url())
    .example('https://shop.example/verify?t=1')
    .description('The link that it is about: the first that verifies, resets, signs in or invites.'),
  thread_id: nullable(wholeNumber().min(1)).example(null),
  from_address: text().example('shop@example.com'),
  from_name: nullable(text()).example('Shop').description('The name beside the address, if any.'),
  to_addresses: listOf(text().example('qa+signup@app.test')),
  received_at: instant(),
  expires_at: nullable(instant()),
  size_bytes: wholeNumber().example(1432),
  is_read: Joi.boolean().example(false),
  is_flagged: Joi.boolean().example(false),
  has_attachments: Joi.boolean().example(false),
};

export const summaryShape = responseShape('MessageSummary', summaryFields);

export const messageList = responseShape('MessageList', {
  ...listFields(summaryShape),
  cursor: wholeNumber()
    .example(42)
    .description('Your newest event number at the time of reading: what `since` takes.'),
});

export function presentSummary(message: MessageSummary): Wire<typeof summaryShape> {
  return {
    id: message.id,
    msgid: message.msgid,
    account_id: message.accountId,
    mailbox_id: message.mailboxId,
    subject: message.subject,
    intro: message.intro,
    code: message.code,
    main_link: message.mainLink,
    thread_id: message.threadId,
    from_address: message.fromAddress,
    from_name: message.fromName,
    to_addresses: message.toAddresses,
    received_at: presentInstant(message.receivedAt),
    expires_at: message.expiresAt && presentInstant(message.expiresAt),
    size_bytes: message.sizeBytes,
    is_read: message.isRead,
    is_flagged: message.isFlagged,
    has_attachments: message.hasAttachments,
  };
}

export function presentMessageList(list: MessageList, page: Page): Wire<typeof messageList> {
  return { ...presentList(list, page, presentSummary), cursor: list.cursor };
}
