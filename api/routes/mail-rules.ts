import { audit, found } from '#api/context.ts';
import { route } from '#api/route.ts';
import { ruleCreation, ruleList, ruleQuery, ruleShape, ruleUpdate } from '#api/shapes/mail-rule.ts';
import { deletion } from '#api/shapes/response-shape.ts';
import { limits } from '#core/limits.ts';
import { pageOf } from '#core/page.ts';
import { addMailRule, removeMailRule, setMailRule } from '#core/rules/change-mail-rules.ts';

const success = { description: 'The rule', shape: ruleShape };

export const mailRuleRoutes = [
  route({
    method: 'get',
    path: '/api/rules',
    operationId: 'listRules',
    summary: 'List the rules of the team for new mail, in their order',
    query: ruleQuery,
    success: { description: 'A page of rules', shape: ruleList },
    handle: async ({ services, caller, query }) =>
      pageOf((await services.mailRules.read(caller.team)).rules, query),
  }),
  route({
    method: 'post',
    path: '/api/rules',
    operationId: 'createRule',
    summary: 'Make a rule for new mail',
    description: 'See docs/rules.md. Mail that is there already stays as it is.',
    body: ruleCreation,
    success,
    async handle(call) {
      const { services, caller, body } = call;
      const { position, ...words } = body;
      const wanted = { team: caller.team, words, position, most: limits.owned.mailRules };
      const rule = await services.rows.change(addMailRule, wanted);
      await audit(call, 'rule.created', rule.name);
      return rule;
    },
  }),
  route({
    method: 'get',
    path: '/api/rules/{rule_id}',
    operationId: 'getRule',
    summary: 'Read a rule',
    success,
    async handle({ services, caller, ids }) {
      const { rules } = await services.mailRules.read(caller.team);
      return found(rules.find(({ id }) => id === ids.rule_id) ?? null);
    },
  }),
  route({
    method: 'patch',
    path: '/api/rules/{rule_id}',
    operationId: 'updateRule',
    summary: 'Change a rule, or its place',
    body: ruleUpdate,
    success,
    async handle(call) {
      const { services, caller, ids, body } = call;
      const { position, ...set } = body;
      const wanted = { team: caller.team, mailRule: ids.rule_id, set, position };
      const rule = await services.rows.change(setMailRule, wanted);
      await audit(call, 'rule.changed', rule.name);
      return rule;
    },
  }),
  route({
    method: 'delete',
    path: '/api/rules/{rule_id}',
    operationId: 'deleteRule',
    summary: 'Delete a rule',
    success: { description: 'It is gone', shape: deletion },
    async handle(call) {
      const { services, caller, ids } = call;
      const gone = { team: caller.team, mailRule: ids.rule_id };
      const { name } = await services.rows.change(removeMailRule, gone);
      await audit(call, 'rule.deleted', name);
    },
  }),
];
