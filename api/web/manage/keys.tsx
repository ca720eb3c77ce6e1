import { useEffect, useState } from 'preact/hooks';
import { readAll } from '../client/directory.ts';
import type { CreatedToken, Token } from '../client/shapes.ts';
import { mayWrite } from '../client/teams.ts';
import { problemOf } from '../parts/call.ts';
import { CopyButton } from '../parts/copy-button.tsx';
import { Refusal } from '../parts/refusal.tsx';
import { KeyRow } from './key-row.tsx';
import { Listing } from './listing.tsx';
import { NewKey } from './new-key.tsx';

/** Page of the team's API keys. A new key is shown once. */
export function Keys() {
  const [keys, setKeys] = useState<Token[] | null>(null);
  const [created, setCreated] = useState<CreatedToken | null>(null);
  const [refusal, setRefusal] = useState('');
  const read = () =>
    readAll<Token>('/api/tokens').then(setKeys, (error) => setRefusal(problemOf(error).detail));
  useEffect(() => void read(), []);
  return (
    <>
      <h1>API keys</h1>
      <p class="muted">A key lets a test job call the REST API. It goes into the header X-API-KEY.</p>
      {mayWrite.value && (
        <NewKey
          done={(key) => {
            setCreated(key);
            return read();
          }}
        />
      )}
      {created && <OnceShown of={created} />}
      <Refusal text={refusal} />
      {keys && (
        <Listing things="API keys" items={keys} nameOf={({ name }) => name}>
          {(key) => (
            <KeyRow
              key={key.id}
              of={key}
              revoked={() => {
                if (created?.id === key.id) setCreated(null);
                return read();
              }}
            />
          )}
        </Listing>
      )}
    </>
  );
}

function OnceShown({ of: { name, key } }: { of: CreatedToken }) {
  return (
    <section class="once" aria-label="The new key" role="status">
      <p>
        <strong>{name}</strong> is made. Copy it now: it is not shown again.
      </p>
      <div class="line">
        <code>{key}</code>
        <CopyButton text={key} label="Copy the key" />
      </div>
    </section>
  );
}
