import './sign-in.css';
import { useEffect } from 'preact/hooks';
import { usePage } from '../page.ts';
import { allMail, hrefOf } from '../place-url.ts';
import { Brand } from './brand.tsx';

/** Page in place of a team that the user is not in, or no longer. */
export function Gone() {
  const { reloadTeams, teamId, teamName, teams, urlIdOf } = usePage();
  useEffect(() => void reloadTeams().catch(() => {}), []);
  const others = (teams.value ?? []).filter((team) => urlIdOf(team) !== null && team.id !== teamId);
  return (
    <main class="sign-in">
      <Brand />
      <div role="alert">
        <h2>You are not in this team</h2>
        <p class="muted">It was deleted, or one of its owners has removed you.</p>
      </div>
      <a class="button main" href={hrefOf(allMail)}>
        Go to your personal mail
      </a>
      {others.length > 0 && (
        <nav aria-label="Your teams">
          <p class="muted">Or to another of your teams:</p>
          <ul class="rows">
            {others.map((team) => (
              <li key={team.id}>
                <a href={hrefOf(allMail, team.id)}>{teamName(team)}</a>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </main>
  );
}

/** Page of an address that does not exist. */
export function Nowhere() {
  return (
    <main class="sign-in">
      <Brand />
      <div role="alert">
        <h2>Nothing here</h2>
        <p class="muted">
          There is no page at <code>{location.pathname}</code>.
        </p>
      </div>
      <a class="button main" href="/">
        Go to your mail
      </a>
    </main>
  );
}
