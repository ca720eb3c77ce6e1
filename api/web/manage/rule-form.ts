import type { ComponentChildren } from 'preact';
import type { Rule } from '../client/shapes.ts';
import type { FormProps } from '../parts/form.tsx';
import { number } from '../parts/size.ts';
import { warningOf } from '../search/completion.ts';

const spans: [seconds: string, name: string][] = [
  ['', 'Same as other mail'],
  ['3600', 'After an hour'],
  ['86400', 'After a day'],
  ['604800', 'After a week'],
  ['2592000', 'After 30 days'],
];

/** Returns the name of a period in seconds: `After a day`. */
export const spanName = (seconds: number): string =>
  spans.find(([value]) => value === `${seconds}`)?.[1] ?? `After ${number(seconds)} seconds`;

type Props = {
  /** Rule to change. If absent, the form creates a rule. */
  rule?: Rule;
  /** Search for a new rule. */
  q?: string;
  /** Parts of a search that `q` omits because rules do not support them. */
  leftOut?: string[];
  lead?: ComponentChildren;
  done(rule: Rule): unknown;
};

/** Rule form: to which new mail the rule applies, and its actions. */
export function ruleForm({ rule, q = '', leftOut = [], lead, done }: Props): FormProps<Rule, string> {
  const without =
    leftOut.length === 0 ? '' : `. Left out because they don't apply to new mail: ${leftOut.join(', ')}`;
  const expiry = `${rule?.expires_in ?? ''}`;
  const isUsual = spans.some(([value]) => value === expiry);
  const tick = (name: string, label: string, isOn = false) =>
    ({ name, label, as: 'tick', start: isOn ? 'yes' : '' }) as const;
  return {
    lead,
    fields: [
      { name: 'name', label: 'Name', start: rule?.name ?? '' },
      {
        name: 'q',
        label: 'For new mail that matches',
        start: rule?.q ?? q,
        help: `A search query on the message itself${without}`,
        warns: warningOf,
      },
      {
        name: 'tags',
        label: 'Tags',
        start: rule?.tags.join(', ') ?? '',
        help: 'Separated by commas',
        sent: listOf,
      },
      {
        name: 'mailbox',
        label: 'Mailbox',
        start: rule?.mailbox ?? '',
        help: "Created if it doesn't exist",
        sent: (path) => path.trim() || null,
      },
      {
        name: 'expires_in',
        label: 'Expires',
        choices: isUsual ? spans : [...spans, [expiry, spanName(Number(expiry))]],
        start: expiry,
        sent: (seconds) => (seconds === '' ? null : Number(seconds)),
      },
      tick('is_flagged', 'Flagged', rule?.is_flagged),
      tick('is_read', 'Read', rule?.is_read),
      tick('discard', "Discard: accept the message but don't store it", rule?.discard),
    ],
    call: (body) => ({
      method: rule ? 'PATCH' : 'POST',
      path: rule ? `/api/rules/${rule.id}` : '/api/rules',
      body,
    }),
    label: rule ? 'Save' : 'Create rule',
    done,
  };
}

const listOf = (text: string) =>
  text
    .split(',')
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '');
