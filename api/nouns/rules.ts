import Joi from 'joi';
import { collection } from '#api/collection.ts';
import { tagList } from '#api/shapes/message-request.ts';
import { writeShapes } from '#api/shapes/request-shape.ts';
import { answerOf, listOf, nullable, text, wholeNumber } from '#api/shapes/response-shape.ts';
import {
  durationValue,
  flagValue,
  limitedText,
  nameValue,
  textValue,
  wholeValue,
} from '#api/shapes/values.ts';
import { limits } from '#core/limits.ts';
import { pageOf } from '#core/page.ts';
import { addMailRule, removeMailRule, setMailRule } from '#core/rules/change-mail-rules.ts';
import type { MailRule, RuleWords } from '#core/rules/mail-rule.ts';

type Placed = RuleWords & { position?: number };

const example = { name: 'Receipts', q: 'from:billing subject:receipt', mailbox: 'Receipts', tags: ['money'] };

const { creation: ruleCreation, update: ruleUpdate } = writeShapes<Placed>(
  'Rule',
  {
    name: nameValue(1, 100).example(example.name).required(),
    q: limitedText(1, 'answers.queryCharacters')
      .description('Search query for the message itself.')
      .example(example.q)
      .required(),
    position: wholeValue(1).description(
      "The rule's position. Rules apply in this order. Later rules move down.",
    ),
    active: { names: ['is_active', 'isActive'], schema: flagValue().default(true) },
    tags: {
      schema: tagList().default([]).description('Tags to add to the message.'),
      mostItems: 'messages.tags',
    },
    mailbox: textValue(1, 255)
      .allow(null)
      .default(null)
      .description("Path of the mailbox to store the message in. Created if it doesn't exist."),
    isFlagged: flagValue().default(false),
    isRead: flagValue().default(false),
    expiresIn: durationValue(90)
      .allow(null)
      .default(null)
      .description('Time after which the message expires, in seconds or as a duration such as `1h`.'),
    discard: flagValue()
      .default(false)
      .description('Accepts the mail but does not store it. Later rules do not apply.'),
  },
  // Response fields that no request changes.
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
  matched: wholeNumber().example(12).description('Number of messages that the rule applied to.'),
  discarded: wholeNumber().example(0).description('Number of messages that the rule discarded.'),
});

export const mailRuleRoutes = collection({
  noun: ['Rule', 'Rules'],
  path: '/api/rules',
  id: 'rule_id',
  shape: ruleShape,
  list: {
    summary: "List the team's rules for new mail, in order",
    run: async ({ services, caller, query }) =>
      pageOf(await services.rows.read('mailRules', { team: caller.team }), query),
  },
  create: {
    summary: 'Create a rule for new mail',
    description: 'See docs/rules.md. Stored mail does not change.',
    body: ruleCreation,
    run({ services, caller, body: { position, ...words } }) {
      const wanted = { team: caller.team, words, position, most: limits.owned.mailRules };
      return services.rows.change(addMailRule, wanted);
    },
    audit: ({ name }) => ['rule.created', name],
  },
  get: {
    summary: 'Read a rule',
    async run({ services, caller, ids }) {
      const rules = await services.rows.read('mailRules', { team: caller.team });
      return rules.find(({ id }) => id === ids.rule_id) ?? null;
    },
  },
  update: {
    summary: 'Change a rule or its position',
    body: ruleUpdate,
    run({ services, caller, ids, body: { position, ...set } }) {
      const wanted = { team: caller.team, mailRule: ids.rule_id, set, position };
      return services.rows.change(setMailRule, wanted);
    },
    audit: ({ name }) => ['rule.changed', name],
  },
  delete: {
    summary: 'Delete a rule',
    run: ({ services, caller, ids }) =>
      services.rows.change(removeMailRule, { team: caller.team, mailRule: ids.rule_id }),
    audit: ({ name }) => ['rule.deleted', name],
  },
});
