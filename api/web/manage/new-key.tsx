import { useId, useState } from 'preact/hooks';
import type { CreatedToken, Token } from '../client/shapes.ts';
import { Action } from '../parts/action.tsx';
import { Field } from '../parts/field.tsx';

const scopes: Record<Token['scope'], string> = {
  full: 'All that you may in this team.',
  read: 'Lists, waits for and streams mail. Changes nothing.',
  send: 'Sends mail by SMTP, the provider APIs and the REST API. Reads nothing.',
};
const scopeNames = ['full', 'read', 'send'] as const;

const spans = [
  ['', 'Never'],
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['date', 'On a date'],
] as const;

const dayMs = 86_400_000;

/** Form that makes an API key, with a scope and an end. */
export function NewKey({ done }: { done(key: CreatedToken): unknown }) {
  const [name, setName] = useState('');
  const [scope, setScope] = useState<Token['scope']>('full');
  const [span, setSpan] = useState<string>('');
  const [date, setDate] = useState('');
  const expires = span === 'date' ? endOf(date) : span === '' ? null : inDays(Number(span));
  const body = {
    ...(name.trim() === '' ? {} : { name: name.trim() }),
    ...(scope === 'full' ? {} : { scope }),
    ...(expires === null ? {} : { expires_at: expires }),
  };
  const made = (key: CreatedToken) => {
    setName('');
    return done(key);
  };
  return (
    <section class="panel" aria-label="New API key">
      <Action call={{ method: 'POST', path: '/api/tokens', body }} label="Make key" done={made}>
        <Field name="name" label="Name of the key" value={name} set={setName} help="Such as nightly tests" />
        <Scopes chosen={scope} choose={setScope} />
        <div class="pair">
          <Field
            name={span === 'date' ? 'span' : 'expires_at'}
            label="Expires"
            value={span}
            set={setSpan}
            choices={spans}
          />
          {span === 'date' && (
            <Field
              name="expires_at"
              label="Last day"
              type="date"
              value={date}
              set={setDate}
              help="It works until the end of this day."
            />
          )}
        </div>
      </Action>
    </section>
  );
}

type ScopesProps = { chosen: Token['scope']; choose(scope: Token['scope']): void };

function Scopes({ chosen, choose }: ScopesProps) {
  const id = useId();
  return (
    <fieldset class="options">
      <legend>What it may do</legend>
      {scopeNames.map((scope) => (
        <div key={scope}>
          <label>
            <input
              type="radio"
              name={id}
              aria-describedby={`${id}-${scope}`}
              checked={scope === chosen}
              onChange={() => choose(scope)}
            />
            {scope}
          </label>
          <p class="help" id={`${id}-${scope}`}>
            {scopes[scope]}
          </p>
        </div>
      ))}
    </fieldset>
  );
}

/** Returns the instant in a number of days, to the minute. */
function inDays(days: number): string {
  const end = new Date(Date.now() + days * dayMs);
  end.setSeconds(0, 0);
  return end.toISOString();
}

/** Returns the last second of a day of the browser's time zone. An empty or impossible date is sent as typed: the API refuses it. */
function endOf(date: string): string {
  const end = new Date(`${date}T23:59:59`);
  return Number.isNaN(end.getTime()) ? date : end.toISOString();
}
