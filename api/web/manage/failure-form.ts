import type { FailureRule } from '../client/shapes.ts';
import type { Page } from '../page.ts';
import { type FormProps, ifGiven } from '../parts/form.tsx';
import { reportNames } from './failure-text.ts';

const stageChoices = [
  ['rcpt', 'RCPT: each recipient'],
  ['auth', 'AUTH: the sign-in'],
  ['mail', 'MAIL: the sender'],
  ['data', 'DATA: before the content'],
  ['end', 'End: after the content'],
  ['api', 'Provider API: each request'],
] as const;
const actionChoices = [
  ['reply', 'Refuse with a reply'],
  ['dsn', 'Accept it, then send a report'],
  ['delay', 'Delay the answer'],
  ['drop', 'Close the connection'],
  ['reset', 'Reset the connection'],
] as const;
const spans = [
  ['600', 'After 10 minutes'],
  ['3600', 'After an hour'],
  ['86400', 'After a day'],
] as const;

type Name = 'stage' | 'action' | 'dsn' | 'reply' | 'times' | 'delay_ms' | 'expires_in';
type Rated = 'rate.limit' | 'rate.seconds';
type Matched = 'match.address' | 'match.from' | 'match.q';
type Values = Record<Name | Rated | Matched, string>;

/** Form of a failure rule: for whom, at which step, and what happens. Shows the fields that the step and the action take. */
export function failureForm(
  { directory, server }: Pick<Page, 'directory' | 'server'>,
  done: () => unknown,
): FormProps<FailureRule, keyof Values> {
  const account = directory.value?.accounts[0]?.address ?? '';
  const at = account.lastIndexOf('@');
  const name = account.startsWith('*') ? 'anyone' : account.slice(0, at);
  // Applications write to any address under `sandpost dev`.
  const own = account === '' ? '' : `${name}+run1${account.slice(at)}`;
  return {
    fields: [
      {
        name: 'stage',
        label: 'Step',
        choices: stageChoices,
        start: 'rcpt',
        given: ({ stage }) =>
          hasMail(stage) || { help: "Acts on senders that sign in with one of the team's accounts or keys" },
      },
      {
        name: 'action',
        label: 'What happens',
        start: 'reply',
        given: ({ stage }) => ({
          choices: actionChoices.filter(([name]) => name !== 'dsn' || hasMail(stage)),
        }),
      },
      {
        name: 'dsn',
        label: 'Report',
        choices: Object.entries(reportNames),
        start: 'failed',
        given: ({ action }) => action === 'dsn',
      },
      {
        name: 'reply',
        label: 'Reply',
        start: '',
        given: (values) =>
          isReplied(values) && {
            help: `Default: ${exampleOf(values)}`,
          },
        sent: ifGiven,
      },
      {
        name: 'match.address',
        label: 'For mail to',
        help: 'A tag per test keeps tests apart. Empty: every recipient',
        start: server.value?.is_local ? 'bob@example.com' : own,
        given: ({ stage }) => hasMail(stage),
        sent: ifGiven,
      },
      {
        name: 'match.from',
        label: 'From',
        help: 'Empty: every sender',
        start: '',
        given: ({ stage }) => stage !== 'auth',
        sent: ifGiven,
      },
      {
        name: 'match.q',
        label: 'That matches',
        help: 'A search query on the message itself. Empty: every message',
        start: '',
        given: ({ stage, action }) => stage === 'end' || stage === 'api' || action === 'dsn',
        sent: ifGiven,
      },
      {
        name: 'times',
        label: 'How often',
        help: 'Number of attempts that fail before the rest pass. Empty: all fail',
        start: '',
        sent: (text) => numberOf(text),
      },
      {
        name: 'rate.limit',
        label: 'Rate',
        help: 'Number of attempts that pass in each window before the rest fail. Empty: none pass',
        start: '',
        sent: (text) => numberOf(text),
      },
      {
        name: 'rate.seconds',
        label: 'Window, seconds',
        help: 'Up to a day',
        start: '60',
        given: (values) => values['rate.limit'].trim() !== '',
        sent: Number,
      },
      {
        name: 'delay_ms',
        label: 'Delay, seconds',
        help: 'Before the reply, up to 60',
        start: '',
        given: ({ action }) => ({
          fault: `must be a number ${action === 'delay' ? 'above' : 'from'} 0, up to 60`,
        }),
        sent: (text) => numberOf(text, 1000),
      },
      { name: 'expires_in', label: 'Ends', choices: spans, start: '3600', sent: Number },
    ],
    call: (body) => ({ method: 'POST', path: '/api/failures', body: { match: {}, ...body } }),
    label: 'Create rule',
    done,
  };
}

/** Checks whether an action has a reply of its own. */
const isReplied = ({ action, dsn }: Values) =>
  action === 'reply' || (action === 'dsn' && (dsn === 'failed' || dsn === 'delayed'));

/** Checks whether a step knows of a mail, which can be taken and reported on. */
const hasMail = (stage: string) => stage !== 'auth' && stage !== 'mail';

function exampleOf({ stage, action, dsn }: Values): string {
  if (action === 'dsn')
    return dsn === 'delayed' ? '451 4.4.1 Delayed on purpose' : '550 5.1.1 Failed on purpose';
  return stage === 'api' ? '503 Refused on purpose' : '451 4.7.1 Refused on purpose';
}

/** Returns a number times a factor, undefined for an empty text. Text that is no number is sent as typed: the API's refusal explains it. */
const numberOf = (text: string, factor = 1) => {
  if (text.trim() === '') return undefined;
  return Number.isNaN(Number(text)) ? text : Math.round(Number(text) * factor);
};
