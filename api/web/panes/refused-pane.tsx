import './refused-pane.css';
import { useEffect, useState } from 'preact/hooks';
import type { Refused } from '../client/shapes.ts';
import { useMail, usePage, useTitle } from '../page.ts';
import { lazy } from '../parts/lazy.tsx';
import { Failure, GreyLines } from '../parts/loaded.tsx';
import { number } from '../parts/size.ts';
import { stages } from '../parts/stages.ts';
import { When } from '../parts/when.tsx';
import { atOnce, mostRead } from './refused.ts';
import { TreeButton } from './tree.tsx';

const RefusedDetails = lazy((all) => all.RefusedDetails);

/** Pane that replaces the list: mail refused in the last 24 h, with what to do about it. */
export function RefusedPane() {
  const { followRefused, moreRefused, refused, refusedError } = useMail();
  useTitle('Refused');
  useEffect(followRefused, []);
  const { items = [], pagination } = refused.value ?? {};
  const total = pagination?.total ?? 0;
  return (
    <section class="column scrolls pane pane-list pane-refused" aria-label="Refused">
      <div class="line keep list-head">
        <TreeButton />
        <h1 class="ellipsis">Refused</h1>
        <span class="muted keep numbers">{total > 0 && number(total)}</span>
        <span class="ellipsis muted grow">in the last 24 hours</span>
      </div>
      {refusedError.value !== null && <Failure error={refusedError.value} />}
      {items.length < Math.min(total, atOnce) || refused.value === null ? (
        refusedError.value === null && <GreyLines />
      ) : total === 0 ? (
        <Nothing />
      ) : (
        <ul class="breaks refused" aria-label="Refused">
          {items.map((refusal) => (
            <RefusalRow key={refusal.id} refusal={refusal} />
          ))}
        </ul>
      )}
      {items.length > 0 && items.length < Math.min(total, mostRead) && (
        <p class="refused-more">
          <button type="button" onClick={() => void moreRefused()}>
            Show more
          </button>
        </p>
      )}
    </section>
  );
}

function Nothing() {
  const { linkToPage } = usePage();
  return (
    <div class="stack message-none refused-nothing">
      <h2>No refused mail</h2>
      <p class="muted">
        Refused mail and failed sign-ins appear here for 24 hours, with advice on what to fix.
      </p>
      <p>
        <a href={linkToPage('connect')}>How to send mail here</a>
      </p>
    </div>
  );
}

/** Names for refusals without a recipient that are not of mail. */
const things: Partial<Record<Refused['stage'], string>> = {
  connect: 'Connection',
  auth: 'Sign-in',
  api: 'Request',
};

/** Pages on which the user can follow a reason's advice. */
const remedies: Partial<Record<Refused['reason'], [page: string, name: string]>> = {
  'unknown-domain': ['domains', 'Domains'],
  'inactive-domain': ['domains', 'Domains'],
  'unverified-domain': ['domains', 'Domains'],
  'no-such-account': ['accounts', 'Accounts'],
  'inactive-account': ['accounts', 'Accounts'],
  'no-room': ['accounts', 'Accounts'],
  'no-capture': ['accounts', 'Accounts'],
  'wrong-credentials': ['accounts', 'Accounts'],
  'may-not-send': ['keys', 'API keys'],
};

function RefusalRow({ refusal }: { refusal: Refused }) {
  const { at, advice, authenticated_as, mail_from, rcpt_to, remote_address, reply } = refusal;
  const { failure_id, helo, reason, stage } = refusal;
  const { linkToPage } = usePage();
  const [isOpen, setOpen] = useState(false);
  const [remedy, remedyName] =
    failure_id === null ? (remedies[reason] ?? []) : [`failures/${failure_id}`, 'the failure rule'];
  const [first, ...others] = rcpt_to;
  const who = first ?? authenticated_as?.name;
  const facts = [
    stages[stage],
    remote_address && `from ${remote_address}`,
    authenticated_as &&
      `signed in as ${authenticated_as.kind === 'api_key' ? 'the key ' : ''}${authenticated_as.name}`,
  ].filter((fact) => fact);
  // For a failed sign-in, these are the account or the key that the client tried.
  const said = stage === 'auth' ? facts.slice(0, 2) : facts;
  return (
    <li>
      <div>
        <p class="wrap refused-who">
          <strong>
            <bdi>{who ?? things[stage] ?? 'Mail'}</bdi>
            {others.length > 0 && ` and ${others.length} more`}
          </strong>
          <When at={at} />
        </p>
        {mail_from !== null && (
          <p>
            from <bdi>{mail_from === '' ? 'the null sender' : mail_from}</bdi>
          </p>
        )}
        <p class="small refused-facts">{said.join(', ')}</p>
      </div>
      <div>
        <p>
          <code class="error">{reply}</code>
        </p>
        <p>
          {failure_id === null && advice} {remedy && <a href={linkToPage(remedy)}>Open {remedyName}</a>}
        </p>
      </div>
      {(stage !== 'connect' || helo !== null) && (
        <details class="refused-details" onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
          <summary>Details</summary>
          {isOpen && <RefusedDetails refusal={refusal} />}
        </details>
      )}
    </li>
  );
}
