import { useState } from 'preact/hooks';
import type { Rule } from '../client/shapes.ts';
import { Tick } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';

const spans: [seconds: string, name: string][] = [
  ['', 'With the retention of all mail'],
  ['3600', 'After an hour'],
  ['86400', 'After a day'],
  ['604800', 'After a week'],
  ['2592000', 'After 30 days'],
];

/** Returns the name of a span in seconds: `After a day`. */
export const spanName = (seconds: number): string =>
  spans.find(([value]) => value === `${seconds}`)?.[1] ?? `After ${seconds.toLocaleString('en')} seconds`;

type Props = {
  /** Rule to change. A new one is made if there is none. */
  rule?: Rule;
  /** Search of a new rule. */
  q?: string;
  /** Parts of a search that are not in `q`, since rules do not take them. */
  leftOut?: string[];
  cancel(): void;
  done(rule: Rule): unknown;
};

/** Form of a rule: for which new mail, and what is done to it. */
export function RuleForm({ rule, q = '', leftOut = [], cancel, done }: Props) {
  const [isFlagged, setFlagged] = useState(rule?.is_flagged ?? false);
  const [isRead, setRead] = useState(rule?.is_read ?? false);
  const [discard, setDiscard] = useState(rule?.discard ?? false);
  const expiry = rule?.expires_in ?? null;
  const without =
    leftOut.length === 0 ? '' : `. Left out, as a new mail does not tell it: ${leftOut.join(', ')}`;
  const choices: [string, string][] =
    expiry === null || spans.some(([value]) => value === `${expiry}`)
      ? spans
      : [...spans, [`${expiry}`, spanName(expiry)]];
  return (
    <Form
      fields={[
        { name: 'name', label: 'Name', start: rule?.name ?? '' },
        {
          name: 'q',
          label: 'For new mail that matches',
          start: rule?.q ?? q,
          help: `A search, of what the mail itself tells${without}`,
        },
        { name: 'tags', label: 'Tags', start: rule?.tags.join(', ') ?? '', help: 'Separated by commas' },
        { name: 'mailbox', label: 'Mailbox', start: rule?.mailbox ?? '', help: 'Made where it is missing' },
        { name: 'expires_in', label: 'Expires', choices, start: expiry === null ? '' : `${expiry}` },
      ]}
      call={({ name, q, tags, mailbox, expires_in }) => ({
        method: rule ? 'PATCH' : 'POST',
        path: rule ? `/api/rules/${rule.id}` : '/api/rules',
        body: {
          name: name.trim(),
          q: q.trim(),
          tags: tags
            .split(',')
            .map((tag) => tag.trim())
            .filter((tag) => tag !== ''),
          mailbox: mailbox.trim() || null,
          is_flagged: isFlagged,
          is_read: isRead,
          expires_in: expires_in === '' ? null : Number(expires_in),
          discard,
        },
      })}
      label={rule ? 'Save' : 'Make the rule'}
      cancel={cancel}
      done={done}
    >
      <Tick label="Flagged" on={isFlagged} set={setFlagged} />
      <Tick label="Read" on={isRead} set={setRead} />
      <Tick label="Accepted and thrown away: counted, and stored nowhere" on={discard} set={setDiscard} />
    </Form>
  );
}
