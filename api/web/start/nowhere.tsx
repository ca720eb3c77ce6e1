import './sign-in.css';
import type { ComponentChildren } from 'preact';
import { useEffect } from 'preact/hooks';
import { basePath } from '../base-path.ts';
import { usePage } from '../page.ts';
import { allMail, hrefOf } from '../place-url.ts';

/** Page shown instead of a team to which the user does not belong, or no longer belongs. */
export function Gone() {
  const { reloadTeams, teamId, teamName, teams, urlIdOf } = usePage();
  useEffect(() => void reloadTeams().catch(() => {}), []);
  const others = (teams.value ?? []).filter((team) => urlIdOf(team) !== null && team.id !== teamId);
  return (
    <DeadEnd title="You're not in this team" text="It was deleted, or an owner removed you.">
      <a class="button main" href={hrefOf(allMail)}>
        Go to your personal mail
      </a>
      {others.length > 0 && (
        <nav aria-label="Your teams">
          <p class="muted">Or go to one of your other teams:</p>
          <ul class="rows">
            {others.map((team) => (
              <li key={team.id}>
                <a href={hrefOf(allMail, team.id)}>{teamName(team)}</a>
              </li>
            ))}
          </ul>
        </nav>
      )}
    </DeadEnd>
  );
}

/** Page for an address that does not exist. */
export function Nowhere() {
  const text = (
    <>
      No page at <code class="breaks">{location.pathname}</code>.
    </>
  );
  return (
    <DeadEnd title="Nothing here" text={text}>
      <a class="button main" href={`${basePath}/`}>
        Go to your mail
      </a>
    </DeadEnd>
  );
}

type DeadEndProps = { title: string; text: ComponentChildren; children: ComponentChildren };

/** Page that explains why an address shows nothing, with links to other pages. */
export const DeadEnd = ({ title, text, children }: DeadEndProps) => (
  <main class="middle sign-in">
    <Brand />
    <div role="alert">
      <h2>{title}</h2>
      <p class="muted">{text}</p>
    </div>
    {children}
  </main>
);

/** Logo and name of the product. */
export function Brand() {
  return (
    <h1 class="line brand">
      <svg viewBox="0 0 48 48" width="32" height="32" aria-hidden="true">
        <rect x="4" y="11" width="40" height="27" rx="5" />
        <path d="M6 15l18 13 18-13" />
      </svg>
      Sandpost
    </h1>
  );
}
