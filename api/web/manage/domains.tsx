import { useState } from 'preact/hooks';
import { directory, reloadDirectory } from '../client/directory.ts';
import { mayWrite } from '../client/teams.ts';
import { useLoaded } from '../message/use-loaded.ts';
import { Action } from '../parts/action.tsx';
import { Field } from '../parts/field.tsx';
import { Tick } from '../parts/tick.tsx';
import { readServer } from '../start/server.ts';
import { DomainCard } from './domain-card.tsx';
import { Listing } from './listing.tsx';

/** Page of the team's domains: whether and why each is verified, and its actions. */
export function Domains() {
  const server = useLoaded(readServer, []);
  const mxHosts = server && 'value' in server ? server.value.mx_hosts : [];
  return (
    <>
      <h1>Domains</h1>
      {mayWrite.value && <NewDomain />}
      <Listing things="domains" items={directory.value?.domains ?? []} nameOf={({ domain }) => domain}>
        {(domain) => <DomainCard key={domain.id} domain={domain} mxHosts={mxHosts} />}
      </Listing>
    </>
  );
}

function NewDomain() {
  const [name, setName] = useState('');
  const [vouched, setVouched] = useState(true);
  const added = () => {
    setName('');
    return reloadDirectory();
  };
  const body = { domain: name.trim(), mx_verified: vouched };
  return (
    <section class="panel" aria-label="New domain">
      <Action call={{ method: 'POST', path: '/api/domains', body }} label="Add domain" done={added}>
        <Field
          name="domain"
          label="New domain"
          value={name}
          set={setName}
          help="Such as app.test or mail.staging.example.com"
        />
        <Tick label="Verified without an MX record (for development)" on={vouched} set={setVouched} />
      </Action>
    </section>
  );
}
