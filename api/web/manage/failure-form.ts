import type { FailureRule } from '../client/shapes.ts';
import type { Page } from '../page.ts';
import { type FormField, type FormProps, numberOf } from '../parts/form.tsx';
import { warningOf } from '../search/completion.ts';
import { reportNames, tagged } from './failure-text.ts';

const stageChoices = [
  ['rcpt', 'RCPT: each recipient'],
  ['auth', 'AUTH: sign-in'],
  ['mail', 'MAIL: the sender'],
  ['data', 'DATA: before the content'],
  ['end', 'End: after the content'],
  ['api', 'Provider API: each request'],
] as const;
const actionChoices = [
  ['reply', 'Refuse with a reply'],
  ['dsn', 'Accept, then send a report'],
  ['delay', 'Delay the reply'],
  ['drop', 'Close the connection'],
  ['reset', 'Reset the connection'],
] as const;
const spans = [
  ['600', 'After 10 minutes'],
  ['3600', 'After an hour'],
  ['86400', 'After a day'],
] as const;

const plain = { action: 'reply', dsn: 'failed', reply: '', times: '', delay_ms: '' };
/** Common failures, each with its description and its texts for fields. */
const presets: [name: string, says: string, texts: Partial<typeof plain>][] = [
  ['Fail twice', 'The first two attempts fail with 451.', { times: '2' }],
  ['Mailbox full', 'Fails with 452. Senders retry.', { reply: '452 4.2.2 Mailbox full' }],
  ['Unknown user', 'Fails with 550. Senders give up.', { reply: '550 5.1.1 No such user' }],
  ['Slow', 'The reply arrives after 5 s.', { action: 'delay', delay_ms: '5' }],
  ['Bounce', 'Accepted. The sender then gets a bounce.', { action: 'dsn' }],
];

type Name = 'preset' | 'name' | 'stage' | 'action' | 'dsn' | 'reply' | 'times' | 'delay_ms' | 'expires_in';
type Rated = 'rate.limit' | 'rate.seconds';
type Matched = 'match.address' | 'match.from' | 'match.q';
type Values = Record<Name | Rated | Matched, string>;

/**
 * Failure rule form: what happens, to whom and how often. Below these fields, an initially closed section has the fields for the step and
 * the action. Changes `rule`, if given.
 */
export function failureForm(
  { directory }: Pick<Page, 'directory'>,
  done: () => unknown,
  rule?: FailureRule,
): FormProps<FailureRule, keyof Values> {
  const own = tagged(directory.value?.accounts[0]?.address ?? '', 'run1');
  const start = rule ? textsOf(rule) : filled('Fail twice');
  // Null clears an omitted field of an existing rule. Undefined leaves a new rule's field at its default.
  const none = rule ? null : undefined;
  const given = (text: string) => text.trim() || none;
  const number = (text: string, factor?: number) => numberOf(text, factor) ?? none;
  return {
    fields: [
      {
        name: 'preset',
        label: 'What happens',
        as: 'options',
        choices: presets.map(([name, says]) => [name, says]),
        given: () => !rule,
        fills: filled,
        sent: () => undefined,
      },
      {
        name: 'match.address',
        label: 'For mail to',
        help: 'A unique tag per test keeps tests apart. Empty: every recipient',
        start: rule ? (rule.match.address ?? '') : own,
        given: ({ stage }) => hasMail(stage),
        sent: given,
      },
      {
        name: 'times',
        label: 'How often',
        help: 'How many attempts fail before the rest pass. Empty: all',
        start: start.times,
        sent: (text) => number(text),
      },
      {
        name: 'expires_in',
        label: 'Ends',
        choices: rule ? [['', 'As before'], ...spans] : spans,
        start: rule ? '' : '3600',
        sent: (text) => numberOf(text),
      },
      ...folded<keyof Values>([
        { name: 'name', label: 'Name', start: start.name, sent: given },
        {
          name: 'stage',
          label: 'Step',
          choices: stageChoices,
          start: rule?.stage ?? 'rcpt',
          given: ({ stage }) =>
            hasMail(stage) || {
              help: "Applies to senders that sign in with one of the team's accounts or keys",
            },
        },
        {
          name: 'action',
          label: 'Action',
          start: start.action,
          given: ({ stage }) => ({
            choices: actionChoices.filter(([name]) => name !== 'dsn' || hasMail(stage)),
          }),
        },
        {
          name: 'dsn',
          label: 'Report',
          choices: Object.entries(reportNames),
          start: start.dsn,
          given: ({ action }) => action === 'dsn',
        },
        {
          name: 'reply',
          label: 'Reply',
          start: start.reply,
          given: (values) => isReplied(values) && { help: `Default: ${exampleOf(values)}` },
          sent: given,
        },
        {
          name: 'match.from',
          label: 'From',
          help: 'Empty: every sender',
          start: rule?.match.from ?? '',
          given: ({ stage }) => stage !== 'auth',
          sent: given,
        },
        {
          name: 'match.q',
          label: 'Search query',
          warns: warningOf,
          help: 'Empty: every message',
          start: rule?.match.q ?? '',
          given: ({ stage, action }) => stage === 'end' || stage === 'api' || action === 'dsn',
          sent: given,
        },
        {
          name: 'rate.limit',
          label: 'Rate',
          help: 'How many attempts pass per window. Empty: none',
          start: textOf(rule?.rate?.limit),
          sent: (text) => numberOf(text),
        },
        {
          name: 'rate.seconds',
          label: 'Window, seconds',
          help: 'Up to a day',
          start: textOf(rule?.rate?.seconds ?? 60),
          given: (values) => values['rate.limit'].trim() !== '',
          sent: Number,
        },
        {
          name: 'delay_ms',
          label: 'Delay, seconds',
          help: 'Delay before the reply, up to 60',
          start: start.delay_ms,
          given: ({ action }) => ({
            fault: `must be a number ${action === 'delay' ? 'above' : 'from'} 0, up to 60`,
          }),
          sent: (text) => number(text, 1000),
        },
      ]),
    ],
    call: (body) =>
      rule
        ? { method: 'PATCH', path: `/api/failures/${rule.id}`, body: { match: {}, rate: null, ...body } }
        : { method: 'POST', path: '/api/failures', body: { match: {}, ...body } },
    label: rule ? 'Save' : 'Create rule',
    done,
  };
}

const folded = <N extends string>(fields: FormField<N>[]) =>
  fields.map((field) => ({ ...field, folded: true }));

/** Texts for the fields that a preset fills. */
const filled = (preset: string) => ({
  ...plain,
  ...presets.find(([name]) => name === preset)?.[2],
  name: preset,
});

const textOf = (value: number | string | null | undefined) => `${value ?? ''}`;

/**
 * Returns a rule's texts for the fields that a preset fills. A default reply stays empty because it depends on the step and the action.
 */
function textsOf(rule: FailureRule) {
  const { name, action, dsn, reply, times, delay_ms } = rule;
  return {
    ...{ name: name ?? '', action, dsn: dsn ?? 'failed', times: textOf(times) },
    reply: reply === exampleOf(rule) ? '' : textOf(reply),
    delay_ms: delay_ms === null ? '' : `${delay_ms / 1000}`,
  };
}

/** Checks whether an action has its own reply. */
const isReplied = ({ action, dsn }: Values) =>
  action === 'reply' || (action === 'dsn' && (dsn === 'failed' || dsn === 'delayed'));

/** Checks whether there is an email at a step that can be accepted and reported on. */
const hasMail = (stage: string) => stage !== 'auth' && stage !== 'mail';

function exampleOf({ stage, action, dsn }: Pick<FailureRule | Values, 'stage' | 'action' | 'dsn'>): string {
  if (action === 'dsn')
    return dsn === 'delayed' ? '451 4.4.1 Delayed on purpose' : '550 5.1.1 Failed on purpose';
  return stage === 'api' ? '503 Refused on purpose' : '451 4.7.1 Refused on purpose';
}
