import { useState } from 'preact/hooks';
import type { FailureRule } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { Field } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
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
  ['dsn', 'Take it, then send a report'],
  ['delay', 'Delay the answer'],
  ['drop', 'Close the connection'],
  ['reset', 'Reset the connection'],
] as const;
const spans = [
  ['600', 'After 10 minutes'],
  ['3600', 'After an hour'],
  ['86400', 'After a day'],
] as const;

type Props = { cancel(): void; done(rule: FailureRule): unknown };

/** Form of a failure rule: for whom, at which step, and what happens. Shows the fields that the step and the action take. */
export function FailureForm({ cancel, done }: Props) {
  const { directory, server } = usePage();
  const account = directory.value?.accounts[0]?.address ?? '';
  const at = account.lastIndexOf('@');
  const name = account.startsWith('*') ? 'anyone' : account.slice(0, at);
  // Applications write to any address under `sandpost dev`.
  const own = account === '' ? '' : `${name}+run1${account.slice(at)}`;
  const prefilled = server.value?.is_local ? 'bob@example.com' : own;
  const [values, setValues] = useState({
    ...{ stage: 'rcpt', action: 'reply', dsn: 'failed', reply: '', times: '', delay: '', expiry: '3600' },
    ...{ limit: '', seconds: '60', address: prefilled, from: '', q: '' },
  });
  const { stage, action, dsn, reply, times, limit, seconds, delay, expiry } = values;
  const field = (name: keyof typeof values) => ({
    value: values[name],
    set: (text: string) => setValues((now) => ({ ...now, [name]: text })),
  });
  const isReplied = action === 'reply' || (action === 'dsn' && (dsn === 'failed' || dsn === 'delayed'));
  const fits = {
    address: hasMail(stage),
    from: stage !== 'auth',
    q: stage === 'end' || stage === 'api' || action === 'dsn',
  };
  const match = (['address', 'from', 'q'] as const)
    .filter((name) => fits[name] && values[name].trim() !== '')
    .map((name) => [name, values[name].trim()]);
  return (
    <Form
      call={() => ({
        method: 'POST',
        path: '/api/failures',
        body: {
          match: Object.fromEntries(match),
          stage,
          action,
          ...(isReplied && reply.trim() !== '' && { reply: reply.trim() }),
          ...(action === 'dsn' && { dsn }),
          ...(times.trim() !== '' && { times: numberOf(times) }),
          ...(limit.trim() !== '' && { rate: { limit: numberOf(limit), seconds: numberOf(seconds) } }),
          ...(delay.trim() !== '' && { delay_ms: numberOf(delay, 1000) }),
          expires_in: Number(expiry),
        },
      })}
      label="Make the rule"
      cancel={cancel}
      done={done}
    >
      <Field
        name="stage"
        label="Step"
        choices={stageChoices}
        help={hasMail(stage) ? '' : 'Acts on senders that sign in, by an account or a key of the team'}
        value={stage}
        set={(next) =>
          setValues((now) => ({
            ...now,
            stage: next,
            action: hasMail(next) || now.action !== 'dsn' ? now.action : 'reply',
          }))
        }
      />
      <Field
        name="action"
        label="What happens"
        choices={actionChoices.filter(([name]) => name !== 'dsn' || hasMail(stage))}
        {...field('action')}
      />
      {action === 'dsn' && (
        <Field name="dsn" label="Report" choices={Object.entries(reportNames)} {...field('dsn')} />
      )}
      {isReplied && (
        <Field
          name="reply"
          label="Reply"
          help={`Such as ${exampleOf(stage, action, dsn)}, which is the reply of an empty field`}
          {...field('reply')}
        />
      )}
      {fits.address && (
        <Field
          name="match.address"
          label="For mail to"
          help="A tag of its own keeps a test apart from the others. Empty: every recipient"
          {...field('address')}
        />
      )}
      {fits.from && <Field name="match.from" label="From" help="Empty: every sender" {...field('from')} />}
      {fits.q && (
        <Field
          name="match.q"
          label="That matches"
          help="A search, of what the mail itself tells. Empty: every mail"
          {...field('q')}
        />
      )}
      <Field
        name="times"
        label="How often"
        help="Number of attempts that fail, before all pass. Empty: all fail"
        {...field('times')}
      />
      <Field
        name="rate.limit"
        label="Rate"
        help="Number of attempts that pass in each window of time, before the others fail. Empty: none pass"
        {...field('limit')}
      />
      {limit.trim() !== '' && (
        <Field name="rate.seconds" label="Window, seconds" help="At most a day" {...field('seconds')} />
      )}
      <Field
        name="delay_ms"
        label="Delay, seconds"
        help="Before the answer, at most 60"
        fault={`must be a number ${action === 'delay' ? 'above' : 'from'} 0, up to 60`}
        {...field('delay')}
      />
      <Field name="expires_in" label="Ends" choices={spans} {...field('expiry')} />
    </Form>
  );
}

/** Checks whether a step knows of a mail, which can be taken and reported on. */
const hasMail = (stage: string) => stage !== 'auth' && stage !== 'mail';

function exampleOf(stage: string, action: string, dsn: string): string {
  if (action === 'dsn')
    return dsn === 'delayed' ? '451 4.4.1 Delayed on purpose' : '550 5.1.1 Failed on purpose';
  return stage === 'api' ? '503 Refused on purpose' : '451 4.7.1 Refused on purpose';
}

/** Returns a number times a factor. Text that is no number is sent as typed: the API's refusal explains it. */
const numberOf = (text: string, factor = 1) =>
  Number.isNaN(Number(text)) ? text : Math.round(Number(text) * factor);
