import Joi from 'joi';
import type { MessageSummary } from '#core/messages/message.ts';
import type { NearMiss } from '#core/messages/near-misses.ts';
import { problemFields } from './problem.ts';
import {
  answerOf,
  at,
  atOrNull,
  listOf,
  nullable,
  responseShape,
  text,
  url,
  wholeNumber,
} from './response-shape.ts';

export const summaryShape = answerOf<MessageSummary>()('MessageSummary', {
  id: [wholeNumber().min(1).example(7), ({ id }) => id],
  msgid: [nullable(text()).example('<b7e1@shop.example>'), ({ msgid }) => msgid],
  account_id: [wholeNumber().min(1).example(4), ({ accountId }) => accountId],
  mailbox_id: [wholeNumber().min(1).example(21), ({ mailboxId }) => mailboxId],
  subject: [text().example('Welcome'), ({ subject }) => subject],
  intro: [
    text().example('Your code is 493817.').description('The first 140 characters of the text.'),
    ({ intro }) => intro,
  ],
  code: [nullable(text()).example('493817').description('The first of the codes.'), ({ code }) => code],
  main_link: [
    nullable(url())
      .example('https://shop.example/verify?t=1')
      .description('The link that it is about: the first that verifies, resets, signs in or invites.'),
    ({ mainLink }) => mainLink,
  ],
  thread_id: [nullable(wholeNumber().min(1)).example(null), ({ threadId }) => threadId],
  from_address: [text().example('shop@example.com'), ({ fromAddress }) => fromAddress],
  from_name: [
    nullable(text()).example('Shop').description('The name beside the address, if any.'),
    ({ fromName }) => fromName,
  ],
  to_addresses: [listOf(text().example('qa+signup@app.test')), ({ toAddresses }) => toAddresses],
  received_at: at(({ receivedAt }) => receivedAt),
  expires_at: atOrNull(({ expiresAt }) => expiresAt),
  size_bytes: [wholeNumber().example(1432), ({ sizeBytes }) => sizeBytes],
  is_read: [Joi.boolean().example(false), ({ isRead }) => isRead],
  is_flagged: [Joi.boolean().example(false), ({ isFlagged }) => isFlagged],
  tags: [listOf(text().example('smoke')), ({ tags }) => tags],
  has_attachments: [Joi.boolean().example(false), ({ hasAttachments }) => hasAttachments],
});

export const nearMissShape = answerOf<NearMiss>()('NearMiss', {
  id: [wholeNumber().min(1).example(7), ({ id }) => id],
  to: [
    text()
      .example('qa@app.test')
      .description('The recipient: that of the envelope, or of a long mail the first of its header.'),
    ({ to }) => to,
  ],
  subject: [text().example('Welcome'), ({ subject }) => subject],
  failed: [
    listOf(text().example('subject')).description('Parameters, or fields of `q`, that it does not match.'),
    ({ failed }) => failed,
  ],
});

/** Problem of a wait for no message, when one came. */
export const unexpectedMessageShape = responseShape('UnexpectedMessage', {
  ...problemFields,
  message: summaryShape.schema,
});
