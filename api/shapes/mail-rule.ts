import Joi from 'joi';
import { limits } from '#core/limits.ts';
import type { MailRule, RuleWords } from '#core/rules/mail-rule.ts';
import { tagList } from './message-request.ts';
import { listShape } from './page.ts';
import { writeShapes } from './request-shape.ts';
import { answerOf, listOf, nullable, text, wholeNumber } from './response-shape.ts';
import { flagValue, nameValue, textValue } from './values.ts';

type Placed = RuleWords & { position?: number };

/** Longest time after which a message may expire, in seconds: that of the longest retention. */
const mostSeconds = 90 * 86_400;

const example = { name: 'Receipts', q: 'from:billing subject:receipt', mailbox: 'Receipts', tags: ['money'] };

const seconds = () => Joi.number().integer().min(1).max(mostSeconds).strict();

export const { creation: ruleCreation, update: ruleUpdate } = writeShapes<Placed>(
  'Rule',
  {
    name: nameValue(1, 100).example(example.name).required(),
    q: textValue(1, limits.answers.queryCharacters, {}, 'answers.queryCharacters')
      .description('As `q` of a list of messages, of what the mail itself tells.')
      .example(example.q)
      .required(),
    position: Joi.number()
      .integer()
      .min(1)
      .max(Number.MAX_SAFE_INTEGER)
      .strict()
      .description('Place among the rules, which are applied in this order. The others make room.'),
    active: { names: ['is_active', 'isActive'], schema: flagValue(), default: true },
    tags: {
      schema: tagList().description('Tags that the message gets.'),
      default: [],
      mostItems: { limit: 'messages.tags', most: limits.messages.tags },
    },
    mailbox: {
      schema: textValue(1, 255)
        .allow(null)
        .description('Path of its mailbox, which is made if it is missing.'),
      default: null,
    },
    isFlagged: { schema: flagValue(), default: false },
    isRead: { schema: flagValue(), default: false },
    expiresIn: {
      schema: seconds().allow(null).description('Seconds after which the message expires.'),
      default: null,
    },
    discard: {
      schema: flagValue().description('The mail is accepted and not stored, and no later rule is applied.'),
      default: false,
    },
  },
  // Fields of an answer that no request changes.
  { example, change: { is_active: false }, ignored: ['id', 'matched', 'discarded'] },
);

export const ruleShape = answerOf<MailRule>()('Rule', {
  id: wholeNumber().min(1).example(5),
  name: text().example(example.name),
  q: text().example(example.q),
  position: wholeNumber().min(1).example(1),
  is_active: [Joi.boolean().example(true), ({ active }) => active],
  tags: listOf(text().example('money')),
  mailbox: nullable(Joi.string()).example('Receipts'),
  is_flagged: Joi.boolean().example(false),
  is_read: Joi.boolean().example(false),
  expires_in: nullable(wholeNumber()).example(null),
  discard: Joi.boolean().example(false),
  matched: wholeNumber().example(12).description('Number of messages that the rule was applied to.'),
  discarded: wholeNumber().example(0).description('Number of those that it discarded.'),
});

export const ruleList = listShape('RuleList', ruleShape);
