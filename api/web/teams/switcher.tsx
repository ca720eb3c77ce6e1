import './switcher.css';
import type { ComponentChildren } from 'preact';
import { useEffect, useId, useRef } from 'preact/hooks';
import { basePath } from '../base-path.ts';
import { usePage } from '../page.ts';
import { Icon } from '../parts/icon.tsx';
import { allMail, hrefOf } from '../place-url.ts';

/**
 * Menu of the user's teams, and the sign-out. Each team links to all mail, or to the same settings page. The menu's button shows `children`
 * to users who have only the personal team.
 */
export function Switcher({ children }: { children?: ComponentChildren }) {
  const { place, readServer, reloadTeams, server, session, sharedTeam, teamId, teamName, teams, urlIdOf } =
    usePage();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const all = teams.value ?? [];
  useEffect(() => void readServer().catch(() => {}), []);
  const isAlone = all.length < 2;
  // The visitor of `sandpost dev` is always signed in.
  const mayLeave = server.value?.is_local === false;
  if (isAlone && !mayLeave) return <>{children}</>;
  const name = sharedTeam.value?.name ?? 'Personal';
  const opens = ({ newState }: { newState: string }) => {
    if (newState !== 'open' || !button.current || !menu.current) return;
    const { left, bottom } = button.current.getBoundingClientRect();
    menu.current.style.left = `${left}px`;
    menu.current.style.top = `${bottom + 4}px`;
    void reloadTeams().catch(() => {});
  };
  return (
    <>
      <button
        ref={button}
        type="button"
        class="quiet team-button"
        aria-label={isAlone ? undefined : `Team: ${name}`}
        title={isAlone ? session.value?.email : name}
        popovertarget={id}
      >
        {isAlone && children ? (
          children
        ) : (
          <>
            <Icon name="people" />
            <span class="ellipsis">{name}</span>
          </>
        )}
        <Icon name="down" size={12} />
      </button>
      <div ref={menu} id={id} class="menu team-menu" popover="auto" onBeforeToggle={opens}>
        {!isAlone && (
          <nav aria-label="Teams">
            {all.map((team) => {
              const to = urlIdOf(team);
              return (
                <a
                  key={team.id}
                  class="way"
                  href={hrefOf(place.value.view === 'manage' ? place.value : allMail, to)}
                  aria-current={to === teamId ? 'true' : undefined}
                >
                  <span class="ellipsis grow">{teamName(team)}</span>
                  {to !== null && <span class="muted">{team.role}</span>}
                  <span class="line team-tick">{to === teamId && <Icon name="check" size={14} />}</span>
                </a>
              );
            })}
          </nav>
        )}
        {mayLeave && <SignOut look="quiet" />}
      </div>
    </>
  );
}

/** Button that ends the session. */
export function SignOut({ look = '' }: { look?: string }) {
  const { attempt, forgetDrafts, session, tell } = usePage();
  const signOut = async () => {
    const refused = await attempt({ method: 'POST', path: '/api/auth/logout' }, () => {
      forgetDrafts();
      // Reloading the page clears all other data of the user from this tab.
      location.assign(`${basePath}/`);
    });
    if (refused) tell(refused.detail);
  };
  return (
    <button type="button" class={look} title={session.value?.email} onClick={signOut}>
      Sign out
    </button>
  );
}
