import Joi from 'joi';
import { limits } from '#core/limits.ts';
import type { MessageChange } from '#core/messages/message.ts';
import { distinctTags, isTag } from '#core/messages/tags.ts';
import { requestShape } from './request-shape.ts';
import { nullable, responseShape, text, url, wholeNumber, word } from './response-shape.ts';
import { flagValue, idValue, instantValue, limitedText } from './values.ts';

export const messageUpdate = requestShape<MessageChange>(
  'MessageUpdate',
  {
    isRead: { names: ['is_read', 'isRead', 'read', 'seen'], schema: flagValue() },
    isFlagged: { names: ['is_flagged', 'isFlagged', 'flagged'], schema: flagValue() },
    expiresAt: instantValue().description(
      'Time in the future, within the retention period. Null: the message has no expiration time.',
    ),
    autoDelete: flagValue().description('Whether Sandpost deletes the message at expires_at.'),
    tags: {
      schema: tagList().description("Tags that replace the message's tags."),
      mostItems: 'messages.tags',
    },
  },
  { atLeastOne: true, example: { is_read: true } },
);

export const moveRequest = requestShape<{ mailboxId: number }>(
  'Move',
  {
    mailboxId: {
      names: ['mailbox_id', 'mailboxId', 'mailbox'],
      schema: idValue().description('Mailbox in the same account.').required(),
    },
  },
  { example: { mailbox_id: 22 } },
);

export function tagValue(): Joi.Schema {
  return limitedText(1, 'messages.tagCharacters')
    .custom((text: string, helpers) =>
      isTag(text)
        ? text.trim()
        : helpers.message({ custom: 'must not be blank or contain a comma or control characters' }),
    )
    .example('smoke');
}

/** Schema of a list of tags. Its value contains each tag once. Joi calls `custom` even for a list with refused items. */
export function tagList(): Joi.Schema {
  return Joi.array()
    .items(tagValue())
    .max(limits.messages.tags)
    .custom((tags: unknown[]) => (tags.every((tag) => typeof tag === 'string') ? distinctTags(tags) : tags));
}

export const sourceShape = responseShape('MessageSource', {
  id: wholeNumber().min(1).example(7),
  msgid: nullable(text()).example('<b7e1@shop.example>'),
  size_bytes: wholeNumber().example(1432),
  encoding: word('utf-8', 'base64').example('utf-8'),
  source: text().example('Subject: Welcome\r\n\r\nYour code is 493817.\r\n'),
  downloadUrl: url(),
});

/** Message to send. The core validates its addresses. */
export type Outgoing = {
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: string[];
  subject: string;
  text?: string;
  html?: string;
};

/** Schema of a bare address or a list of addresses. Its value is always a list. */
function addresses(min: number): Joi.Schema {
  const address = Joi.string().min(1).max(320).example('qa@app.test');
  return Joi.alternatives()
    .try(address, Joi.array().items(address).min(min).max(limits.http.recipients))
    .custom((value: string | string[]) => [value].flat());
}

const mostItems = 'http.recipients';

export const sendRequest = requestShape<Outgoing>(
  'Send',
  {
    to: { schema: addresses(1).required(), mostItems },
    cc: { schema: addresses(0).default([]), mostItems },
    bcc: { schema: addresses(0).default([]), mostItems },
    replyTo: { names: ['replyTo', 'reply_to'], schema: addresses(0).default([]), mostItems },
    subject: limitedText(0, 'http.subjectCharacters').default(''),
    text: text(),
    html: text(),
  },
  { example: { to: ['qa@app.test'], subject: 'Welcome', text: 'Your code is 493817.' } },
);
