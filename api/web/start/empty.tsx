import { Refusal } from '../parts/refusal.tsx';
import './empty.css';
import { useEffect, useState } from 'preact/hooks';
import { directory } from '../client/directory.ts';
import type { Problem } from '../client/shapes.ts';
import { mayWrite } from '../client/teams.ts';
import { refusalOf } from '../parts/action.tsx';
import { problemOf } from '../parts/call.ts';
import { Field } from '../parts/field.tsx';
import { Violations } from '../parts/violations.ts';
import { go, linkToPage } from '../place.ts';
import { Switcher } from '../teams/switcher.tsx';
import { Brand } from './brand.tsx';
import { makeFirst } from './make-first.ts';
import { readProposal } from './server.ts';

/** First page, in place of the panes while there is no account: makes the first domain and account. */
export function Empty() {
  return (
    <main class="empty">
      <Switcher />
      <Brand />
      {mayWrite.value ? (
        <First />
      ) : (
        <>
          <h2>No mail can come yet</h2>
          <p class="muted">
            This team has no account. You may only read here: its members and owners make the first one.
          </p>
          <p class="muted">
            Or see <a href={linkToPage('team')}>who is in the team</a>.
          </p>
        </>
      )}
    </main>
  );
}

function First() {
  const [domain, setDomain] = useState(directory.value?.domains[0]?.domain ?? '');
  const [local, setLocal] = useState('qa');
  const [problem, setProblem] = useState<Problem | null>(null);
  useEffect(() => {
    if (domain !== '') return;
    // A name that somebody has begun to type stays.
    readProposal().then(
      (proposed) => setDomain((now) => now || proposed),
      (error) => setProblem(problemOf(error)),
    );
  }, []);
  const make = async (event: Event) => {
    event.preventDefault();
    const refused = await makeFirst(domain.trim(), local.trim());
    setProblem(refused);
    if (!refused) go({ view: 'manage', page: 'connect' });
  };
  return (
    <>
      <h2>Where should mail go?</h2>
      <p class="muted">
        A domain and an account on it. Any name will do: nothing that is sent here leaves, and no DNS record
        is needed.
      </p>
      <Violations.Provider value={problem?.violations ?? []}>
        <form class="first" onSubmit={make} noValidate>
          <div class="address">
            <Field name="address" label="Account" value={local} set={setLocal} />
            <span aria-hidden="true">@</span>
            <Field name="domain" label="Domain" value={domain} set={setDomain} />
          </div>
          {problem && !problem.violations && <Refusal text={refusalOf(problem)} />}
          <button type="submit" class="main">
            Make {local}@{domain}
          </button>
        </form>
      </Violations.Provider>
      <p class="muted">
        Or see <a href={linkToPage('domains')}>all settings</a>.
      </p>
    </>
  );
}
