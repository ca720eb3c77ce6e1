import './empty.css';
import { useEffect, useState } from 'preact/hooks';
import { problemOf } from '../client/client.ts';
import type { Problem, Server } from '../client/shapes.ts';
import { type Page, usePage } from '../page.ts';
import { Field, Refusal, Violations } from '../parts/field.tsx';
import { refusalOf } from '../parts/form.tsx';
import { SignOut, Switcher } from '../teams/switcher.tsx';
import { Brand } from './nowhere.tsx';

/** First page, which replaces the panes while no account exists. Creates the first domain and account. */
export function Empty() {
  const { linkToPage, mayManage, mayWrite, session } = usePage();
  return (
    <main class="middle empty">
      <Switcher />
      <Brand />
      {mayManage.value ? (
        <First />
      ) : (
        <>
          <h2>No accounts yet</h2>
          <p class="muted">
            You need an account to receive mail.{' '}
            {mayWrite.value ? (
              <>
                A team owner usually creates the first one, but you{' '}
                <a href={linkToPage('accounts')}>can, too</a>.
              </>
            ) : (
              'Ask a member or owner to create the first one.'
            )}
          </p>
          <p class="muted">
            Or see <a href={linkToPage('team')}>who is in the team</a>.
          </p>
        </>
      )}
      <p class="muted">
        You're signed in as {session.value?.email}. <SignOut look="link" />
      </p>
    </main>
  );
}

function First() {
  const page = usePage();
  const { directory, go, linkToPage, request } = page;
  const [domain, setDomain] = useState(directory.value?.domains[0]?.domain ?? '');
  const [local, setLocal] = useState('qa');
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    if (domain !== '') return;
    // Keeps a name that the user has started to type.
    request<Server>('GET', '/api/server').then(
      ({ proposed_domain }) => setDomain((now) => now || proposed_domain),
      (error) => setProblem(problemOf(error)),
    );
  }, []);
  const make = async (event: Event) => {
    event.preventDefault();
    const refused = await makeFirst(page, domain.trim(), local.trim());
    setProblem(refused);
    if (!refused) go({ view: 'manage', page: 'connect' });
  };
  return (
    <>
      <h2>Where should mail go?</h2>
      <p class="muted">
        Choose a domain and an account on it. Any name works without DNS records, because no mail leaves
        Sandpost.
      </p>
      <Violations.Provider value={problem?.violations ?? []}>
        <form class="stack boxed first" onSubmit={make} noValidate>
          <div class="address">
            <Field name="address" label="Account" value={local} set={setLocal} />
            <span aria-hidden="true">@</span>
            <Field name="domain" label="Domain" value={domain} set={setDomain} />
          </div>
          {problem && !problem.violations && <Refusal text={refusalOf(problem)} />}
          <button type="submit" class="main">
            Create {local}@{domain}
          </button>
        </form>
      </Violations.Provider>
      <p class="muted">
        Or see <a href={linkToPage('domains')}>all settings</a>.
      </p>
    </>
  );
}

/**
 * Creates a capture account, and its domain if that is missing. The domain counts as verified. Returns the problem that stopped this, or
 * null. Reloads the directory after each step, so a retry does not create the domain again.
 */
async function makeFirst(
  { attempt, directory, reloadDirectory }: Page,
  domain: string,
  local: string,
): Promise<Problem | null> {
  if (!directory.value?.domains.some((known) => known.domain === domain)) {
    const body = { domain, mx_verified: true };
    const refused = await attempt({ method: 'POST', path: '/api/domains', body }, reloadDirectory);
    if (refused) return refused;
  }
  const body = { address: `${local}@${domain}`, is_capture: true };
  return attempt({ method: 'POST', path: '/api/accounts', body }, reloadDirectory);
}
