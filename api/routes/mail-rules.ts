import { ruleCreation, ruleList, ruleShape, ruleUpdate } from '#api/shapes/mail-rule.ts';
import { pageQuery } from '#api/shapes/page.ts';
import { limits } from '#core/limits.ts';
import { pageOf } from '#core/page.ts';
import { addMailRule, removeMailRule, setMailRule } from '#core/rules/change-mail-rules.ts';
import { collection } from './collection.ts';

export const mailRuleRoutes = collection({
  noun: ['Rule', 'Rules'],
  path: '/api/rules',
  id: 'rule_id',
  success: { description: 'The rule', shape: ruleShape },
  list: {
    summary: 'List the rules of the team for new mail, in their order',
    query: pageQuery,
    success: { description: 'A page of rules', shape: ruleList },
    run: async ({ services, caller, query }) =>
      pageOf((await services.mailRules.read(caller.team)).rules, query),
  },
  create: {
    summary: 'Make a rule for new mail',
    description: 'See docs/rules.md. Mail that is there already stays as it is.',
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
      const { rules } = await services.mailRules.read(caller.team);
      return rules.find(({ id }) => id === ids.rule_id) ?? null;
    },
  },
  update: {
    summary: 'Change a rule, or its place',
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
