import Joi from 'joi';
import type { MessageSummary } from '#core/messages/message.ts';
import type { NearMiss } from '#core/messages/near-misses.ts';
import { problemFields } from './problem.ts';
import {
  answerOf,
  at,
  instant,
  listOf,
  nullable,
  type ObjectShape,
  responseShape,
  text,
  timestampOrNull,
  url,
  type Wire,
  wholeNumber,
} from './response-shape.ts';
import { presentInstant } from './values.ts';

export const summaryShape = answerOf<MessageSummary>()('MessageSummary', {
  id: wholeNumber().min(1).example(7),
  msgid: nullable(text()).example('<b7e1@shop.example>'),
  account_id: wholeNumber().min(1).example(4),
  mailbox_id: wholeNumber().min(1).example(21),
  subject: text().example('Welcome'),
  intro: text().example('Your code is 493817.').description('The first 140 characters of the text.'),
  code: nullable(text()).example('493817').description("The message's first code."),
  main_link: nullable(url())
    .example('https://shop.example/verify?t=1')
    .description("The message's main link: the first that verifies, resets, signs in or invites."),
  thread_id: nullable(wholeNumber().min(1)).example(null),
  from_address: text().example('shop@example.com'),
  from_name: nullable(text()).example('Shop').description("The sender's display name, if any."),
  to_addresses: listOf(text().example('qa+signup@app.test')),
  received_at: at(({ receivedAt }) => receivedAt),
  expires_at: timestampOrNull(({ expiresAt }) => expiresAt),
  size_bytes: wholeNumber().example(1432),
  is_read: Joi.boolean().example(false),
  is_flagged: Joi.boolean().example(false),
  tags: listOf(text().example('smoke')),
  trace_id: nullable(text())
    .example(null)
    .description(
      'W3C Trace Context trace id, from the `traceparent` of the message or of the request that sent it.',
    ),
  has_attachments: Joi.boolean().example(false),
});

const missedFields = {
  id: wholeNumber().example(7).description('Message id. 0 for a refusal.'),
  to: text()
    .example('qa@app.test')
    .description(
      'Envelope recipient or, for a long email, the first recipient in its header. Empty for a refusal without a recipient.',
    ),
  subject: text().example('Welcome').description('Empty for a refusal.'),
  failed: listOf(text().example('subject')).description(
    'Parameters, or fields of `q`, that the message does not match. `refused` for a refusal.',
  ),
};

type NearMissAnswer = Wire<typeof missedFields> & {
  refusal_id?: number;
  reply?: string;
  at?: string;
};

/** Message or refusal. A refusal also has a message's fields, because older clients read these. */
export const nearMissShape: Pick<ObjectShape<NearMiss, NearMissAnswer>, 'schema' | 'present'> = {
  schema: responseShape('NearMiss', missedFields).append<NearMissAnswer>({
    refusal_id: wholeNumber().min(1).example(12).description('For a refusal: its id in `/api/refusals`.'),
    reply: text().example('550 5.1.1 No such user').description('For a refusal: the reply to the sender.'),
    at: instant().description('For a refusal: the time of the reply.'),
  }),
  present: (miss) => {
    if (!('refusalId' in miss)) return miss;
    const { refusalId, to, reply, at } = miss;
    const told = { refusal_id: refusalId, reply, at: presentInstant(at) };
    return { id: 0, to, subject: '', failed: ['refused'], ...told };
  },
};

/** Problem for a wait for no message if a message arrived. */
export const unexpectedMessageShape = responseShape('UnexpectedMessage', {
  ...problemFields,
  message: summaryShape.schema,
});
