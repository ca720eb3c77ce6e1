import Joi from 'joi';
import type { MessageList, MessageSummary } from '#core/messages/message.ts';
import type { Page } from '#core/page.ts';
import { listShape, presentList } from './page.ts';
import { instant, listOf, responseShape, text, wholeNumber } from './response-shape.ts';
import { presentInstant } from './timestamp.ts';

/** Fields of a message that lists have, and the full message too. */
export const summaryFields = {
  id: wholeNumber().min(1).example(7),
  msgid: text().allow(null).example('<b7e1@shop.example>'),
  account_id: wholeNumber().min(1).example(4),
  mailbox_id: wholeNumber().min(1).example(21),
  subject: text().example('Welcome'),
  intro: text().example('Your code is 493817.').description('The first 140 characters of the text.'),
  thread_id: wholeNumber().min(1).allow(null).example(null),
  from_address: text().example('shop@example.com'),
  from_name: text().allow(null).example('Shop').description('The name beside the address, if any.'),
  to_addresses: listOf(text().example('qa+signup@app.test')),
  received_at: instant(),
  expires_at: instant().allow(null),
  size_bytes: wholeNumber().example(1432),
  is_read: Joi.boolean().example(false),
  is_flagged: Joi.boolean().example(false),
  has_attachments: Joi.boolean().example(false),
};

export const messageList = listShape('MessageList', responseShape('MessageSummary', summaryFields), {
  cursor: wholeNumber()
    .example(42)
    .description('Your newest event number at the time of reading: what `since` takes.'),
});

export function presentSummary(message: MessageSummary) {
  return {
    id: message.id,
    msgid: message.msgid,
    account_id: message.accountId,
    mailbox_id: message.mailboxId,
    subject: message.subject,
    intro: message.intro,
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

export function presentMessageList(list: MessageList, page: Page) {
  return { ...presentList(list, page, presentSummary), cursor: list.cursor };
}
