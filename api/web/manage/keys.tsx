import './keys.css';
import { useId, useState } from 'preact/hooks';
import type { CreatedToken, Token } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { Field } from '../parts/field.tsx';
import { Form } from '../parts/form.tsx';
import { Day, When } from '../parts/when.tsx';
import { Listing, Once, useSecrets } from './listing.tsx';
import { Removal } from './removal.tsx';

/** Page of the team's API keys. A new key is shown once. */
export function Keys() {
  const { mayWrite } = usePage();
  const { items, refusal, created, made, revoked } = useSecrets<Token, CreatedToken>('/api/tokens');
  return (
    <>
      <h1>API keys</h1>
      <p class="muted">A key lets a test job call the REST API. It goes into the header X-API-KEY.</p>
      {mayWrite.value && <NewKey done={made} />}
      {created && (
        <Once name="The new key" secret={created.key} copyLabel="Copy the key">
          <strong>{created.name}</strong> is made. Copy it now: it is not shown again.
        </Once>
      )}
      <Listing plural="API keys" items={items} refusal={refusal} nameOf={({ name }) => name}>
        {(key) => <KeyRow key={key.id} of={key} revoked={() => revoked(key)} />}
      </Listing>
    </>
  );
}

/** Row of a key: its first characters, scope, creator and times, and a button that revokes it. */
function KeyRow({ of: key, revoked }: { of: Token; revoked(): unknown }) {
  const { mayWrite, now } = usePage();
  const isExpired = key.expires_at !== null && Date.parse(key.expires_at) <= now.value;
  return (
    <li class="entry">
      <div>
        <span class="card-name">{key.name}</span>
        {key.scope !== 'full' && <span class="badge">{key.scope}</span>}
        {isExpired && <span class="badge failed">expired</span>}
        <code>{key.prefix}…</code>
        <p class="muted">
          made <When at={key.created_at} /> by {key.created_by ?? 'a Kubernetes resource'},{' '}
          {key.last_used_at ? (
            <>
              used <When at={key.last_used_at} />
            </>
          ) : (
            'never used'
          )}
          {key.expires_at !== null && (
            <>
              , {isExpired ? 'expired' : 'expires'} <Day at={key.expires_at} />
            </>
          )}
        </p>
      </div>
      {mayWrite.value && (
        <Removal
          text="Revoke…"
          label={`Revoke ${key.name}`}
          title={`Revoke ${key.name}?`}
          verb="Revoke for good"
          loss="Jobs that use it are answered 401 at once."
          path={`/api/tokens/${key.id}`}
          done={revoked}
        />
      )}
    </li>
  );
}

const scopes: [Token['scope'], string][] = [
  ['full', 'All that you may in this team.'],
  ['read', 'Lists, waits for and streams mail. Changes nothing.'],
  ['send', 'Sends mail by SMTP, the provider APIs and the REST API. Reads nothing.'],
];

const spans = [
  ['', 'Never'],
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['date', 'On a date'],
] as const;

const dayMs = 86_400_000;

/** Form that makes an API key, with a scope and an end. */
function NewKey({ done }: { done(key: CreatedToken): unknown }) {
  const [scope, setScope] = useState<Token['scope']>('full');
  const [span, setSpan] = useState<string>('');
  const [date, setDate] = useState('');
  const expires = span === 'date' ? endOf(date) : span === '' ? null : inDays(Number(span));
  const call = ({ name }: { name: string }) => {
    const body = {
      ...(name.trim() === '' ? {} : { name: name.trim() }),
      ...(scope === 'full' ? {} : { scope }),
      ...(expires === null ? {} : { expires_at: expires }),
    };
    return { method: 'POST', path: '/api/tokens', body } as const;
  };
  return (
    <Form
      panel="New API key"
      fields={[{ name: 'name', label: 'Name of the key', help: 'Such as nightly tests' }]}
      call={call}
      label="Make key"
      done={done}
    >
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
    </Form>
  );
}

type ScopesProps = { chosen: Token['scope']; choose(scope: Token['scope']): void };

function Scopes({ chosen, choose }: ScopesProps) {
  const id = useId();
  return (
    <fieldset class="options">
      <legend>What it may do</legend>
      {scopes.map(([scope, help]) => (
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
            {help}
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
