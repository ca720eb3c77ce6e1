import Joi from 'joi';
import { limits } from '#core/limits.ts';
import type { Page } from '#core/page.ts';
import type { MailRule, RuleWords } from '#core/rules/mail-rule.ts';
import { tagList } from './message-request.ts';
import { listShape, pageFields } from './page.ts';
import { type Fields, requestShape } from './request-shape.ts';
import { answerOf, listOf, nullable, text, wholeNumber } from './response-shape.ts';
import { flagValue, nameValue, textValue } from './values.ts';

type Placed = RuleWords & { position?: number };

/** Longest time after which a message may expire, in seconds: that of the longest retention. */
const mostSeconds = 90 * 86_400;

const example = { name: 'Receipts', q: 'from:billing subject:receipt', mailbox: 'Receipts', tags: ['money'] };

const seconds = () => Joi.number().integer().min(1).max(mostSeconds).strict();

const none = null as unknown as never;

/** Fields of a rule. `whole`: those of a new one, which has all of them. */
function fields(whole: boolean): Fields<Placed> {
  const field = <V>(names: [string, ...string[]], schema: Joi.Schema, fallback: V) => {
    return whole ? { names, schema, default: fallback } : { names, schema };
  };
  return {
    name: { names: ['name'], schema: nameValue(1, 100).example(example.name), required: whole },
    q: {
      names: ['q'],
      schema: textValue(1, limits.answers.queryCharacters, {}, 'answers.queryCharacters')
        .description('As `q` of a list of messages, of what the mail itself tells.')
        .example(example.q),
      required: whole,
    },
    position: {
      names: ['position'],
      schema: Joi.number()
        .integer()
        .min(1)
        .max(Number.MAX_SAFE_INTEGER)
        .strict()
        .description('Place among the rules, which are applied in this order. The others make room.'),
    },
    active: field(['is_active', 'isActive'], flagValue(), true),
    tags: {
      ...field(['tags'], tagList().description('Tags that the message gets.'), []),
      mostItems: { limit: 'messages.tags', most: limits.messages.tags },
    },
    mailbox: field(
      ['mailbox'],
      textValue(1, 255).allow(null).description('Path of its mailbox, which is made if it is missing.'),
      none,
    ),
    isFlagged: field(['is_flagged', 'isFlagged'], flagValue(), false),
    isRead: field(['is_read', 'isRead'], flagValue(), false),
    expiresIn: field(
      ['expires_in', 'expiresIn'],
      seconds().allow(null).description('Seconds after which the message expires.'),
      none,
    ),
    discard: field(
      ['discard'],
      flagValue().description('The mail is accepted and not stored, and no later rule is applied.'),
      false,
    ),
  };
}

/** Fields of an answer that no request changes. */
const ignored = ['id', 'matched', 'discarded'];

export const ruleCreation = requestShape<Placed>('RuleCreation', fields(true), { example, ignored });

export const ruleUpdate = requestShape<Partial<Placed>>('RuleUpdate', fields(false), {
  ...{ atLeastOne: true, ignored },
  example: { is_active: false },
});

export const ruleQuery = requestShape<Page>('RuleQuery', pageFields);

export const ruleShape = answerOf<MailRule>()('Rule', {
  id: [wholeNumber().min(1).example(5), ({ id }) => id],
  name: [text().example(example.name), ({ name }) => name],
  q: [text().example(example.q), ({ q }) => q],
  position: [wholeNumber().min(1).example(1), ({ position }) => position],
  is_active: [Joi.boolean().example(true), ({ active }) => active],
  tags: [listOf(text().example('money')), ({ tags }) => tags],
  mailbox: [nullable(Joi.string()).example('Receipts'), ({ mailbox }) => mailbox],
  is_flagged: [Joi.boolean().example(false), ({ isFlagged }) => isFlagged],
  is_read: [Joi.boolean().example(false), ({ isRead }) => isRead],
  expires_in: [nullable(wholeNumber()).example(null), ({ expiresIn }) => expiresIn],
  discard: [Joi.boolean().example(false), ({ discard }) => discard],
  matched: [
    wholeNumber().example(12).description('Number of messages that the rule was applied to.'),
    ({ matched }) => matched,
  ],
  discarded: [
    wholeNumber().example(0).description('Number of those that it discarded.'),
    ({ discarded }) => discarded,
  ],
});

export const ruleList = listShape('RuleList', ruleShape);
