import './keys.css';
import type { CreatedToken, Token } from '../client/shapes.ts';
import { usePage } from '../page.ts';
import { ifGiven, Once } from '../parts/form.tsx';
import { Day, When } from '../parts/when.tsx';
import { Entry, Head, Listing, Removal, useSecrets } from './listing.tsx';

const scopes: [Token['scope'], string][] = [
  ['full', 'Everything you can do in this team.'],
  ['read', "Reads, waits for and streams mail. Can't change anything."],
  ['send', "Sends mail over SMTP, the provider APIs and the REST API. Can't read anything."],
];

const spans = [
  ['', 'Never'],
  ['7', 'In 7 days'],
  ['30', 'In 30 days'],
  ['90', 'In 90 days'],
  ['date', 'On a date'],
] as const;

const dayMs = 86_400_000;

/** Page of the team's API keys. Shows a new key once. */
export function Keys() {
  const { mayWrite, now } = usePage();
  const { created, made, revoked, ...list } = useSecrets<Token, CreatedToken>('/api/tokens');
  const isExpired = ({ expires_at: end }: Token) => end !== null && Date.parse(end) <= now.value;
  return (
    <>
      <Head
        title="API keys"
        creates="API key"
        form={
          mayWrite.value && {
            fields: [
              { name: 'name', label: 'Name', help: 'Example: nightly tests', sent: ifGiven },
              { name: 'scope', label: 'Scope', as: 'options', choices: scopes, start: 'full' },
              { name: 'span', label: 'Expires', choices: spans, pair: true, sent: () => undefined },
              {
                name: 'expires_at',
                label: 'Last day',
                type: 'date',
                help: 'The key works until the end of that day.',
                pair: true,
                given: ({ span }) => span === 'date',
                sent: endOf,
              },
            ],
            call: (body, { span }) => {
              const end = Number(span) > 0 ? { expires_at: inDays(Number(span)) } : {};
              return { method: 'POST', path: '/api/tokens', body: { ...body, ...end } };
            },
            label: 'Create key',
            done: made,
          }
        }
      />
      <p class="muted">A key lets a test job call the REST API. Send it in the X-API-KEY header.</p>
      {created && (
        <Once name="New API key" secret={created.key} copyLabel="Copy the key">
          <strong>{created.name}</strong> is ready. Copy it now: it won't be shown again.
        </Once>
      )}
      <Listing plural="API keys" {...list} nameOf={({ name }) => name}>
        {(key) => (
          <Entry
            key={key.id}
            name={key.name}
            badges={[
              key.scope !== 'full' && key.scope,
              key.account_ids !== null && 'some accounts',
              isExpired(key) && ['expired', 'danger'],
            ]}
            facts={
              <>
                <code>{key.prefix}…</code>
                <p class="muted">
                  created <When at={key.created_at} /> by {key.created_by ?? 'a Kubernetes resource'},{' '}
                  {key.last_used_at ? (
                    <>
                      used <When at={key.last_used_at} />
                    </>
                  ) : (
                    'never used'
                  )}
                  {key.expires_at !== null && (
                    <>
                      , {isExpired(key) ? 'expired' : 'expires'} <Day at={key.expires_at} />
                    </>
                  )}
                </p>
              </>
            }
          >
            {mayWrite.value && (
              <Removal
                act="Revoke"
                name={key.name}
                path={`/api/tokens/${key.id}`}
                loss="Jobs that use it get 401 immediately."
                done={() => revoked(key)}
              />
            )}
          </Entry>
        )}
      </Listing>
    </>
  );
}

/** Returns the instant that is a number of days from now, to the minute. */
function inDays(days: number): string {
  const end = new Date(Date.now() + days * dayMs);
  end.setSeconds(0, 0);
  return end.toISOString();
}

/** Returns a day's last second in the browser's time zone. Sends an empty or impossible date as typed, because the API refuses it. */
function endOf(date: string): string {
  const end = new Date(`${date}T23:59:59`);
  return Number.isNaN(end.getTime()) ? date : end.toISOString();
}
