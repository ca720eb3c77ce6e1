import { defineChange, type Plan } from '#core/change.ts';
import { found, NotFound, requireRoom } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { wellFormedPath } from '#core/mailboxes/change-mailboxes.ts';
import { requireMailQuery } from '#core/query/check-query.ts';
import type { MailRule, RuleWords } from './mail-rule.ts';

const quota = { field: 'name', limit: 'owned.mailRules', things: 'rules' } as const;

/**
 * Adds a rule after a team's other rules. Throws NotFound if the team does not exist. Throws Invalid if the rule's query or mailbox is
 * invalid, or if the team already has `most` rules.
 */
export const addMailRule = defineChange(
  'addMailRule',
  ['newMailRule', 'team', 'mailRules'],
  (
    { newMailRule: id, team, mailRules },
    { words, position, most }: { team: Id; words: RuleWords; position?: number | undefined; most?: number },
  ): Plan<MailRule> => {
    if (team === null) throw new NotFound();
    requireRoom(mailRules.length, { ...quota, most });
    const rule = { ...wellFormed(words), id, position: 0, matched: 0, discarded: 0 };
    return arranged(team.id, mailRules, rule, position ?? mailRules.length + 1);
  },
);

/** Changes a rule or its position. Throws NotFound. Throws Invalid if the rule's query or mailbox is invalid. */
export const setMailRule = defineChange(
  'setMailRule',
  ['mailRules'],
  (
    { mailRules },
    {
      team,
      mailRule,
      set,
      position,
    }: { team: Id; mailRule: Id; set: Partial<RuleWords>; position?: number | undefined },
  ): Plan<MailRule> => {
    const rule = found(mailRules.find(({ id }) => id === mailRule));
    return arranged(team, mailRules, { ...rule, ...wellFormed(set) }, position ?? rule.position);
  },
);

/** Removes a rule and returns it. Throws NotFound. */
export const removeMailRule = defineChange(
  'removeMailRule',
  ['mailRules'],
  ({ mailRules }, { team, mailRule }: { team: Id; mailRule: Id }): Plan<MailRule> => {
    const rule = found(mailRules.find(({ id }) => id === mailRule));
    const others = mailRules.filter(({ id }) => id !== mailRule);
    return {
      writes: [
        { do: 'remove-mail-rules', team, ids: [mailRule] },
        { do: 'put-mail-rules', team, rules: moved(others, mailRules) },
      ],
      result: rule,
    };
  },
);

function wellFormed<Words extends Partial<RuleWords>>(words: Words): Words {
  if (words.q !== undefined) requireMailQuery(words.q);
  return words.mailbox == null ? words : { ...words, mailbox: wellFormedPath(words.mailbox, 'mailbox') };
}

/** Moves a rule to a position among its team's other rules. A position after the last rule counts as the last. */
function arranged(team: Id, before: MailRule[], rule: MailRule, position: number): Plan<MailRule> {
  const others = before.filter(({ id }) => id !== rule.id);
  const at = Math.min(position, others.length + 1);
  const order = [...others.slice(0, at - 1), rule, ...others.slice(at - 1)];
  const result = { ...rule, position: at };
  const shifted = moved(order, before).filter(({ id }) => id !== rule.id);
  return { writes: [{ do: 'put-mail-rules', team, rules: [result, ...shifted] }], result };
}

/** Numbers rules in their order. Returns the rules whose position has changed. */
function moved(order: MailRule[], before: MailRule[]): MailRule[] {
  const positions = new Map(before.map(({ id, position }) => [id, position]));
  return order
    .map((rule, index) => ({ ...rule, position: index + 1 }))
    .filter(({ id, position }) => positions.get(id) !== position);
}
