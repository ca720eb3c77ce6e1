import './switcher.css';
import type { ComponentChildren } from 'preact';
import { useId, useRef } from 'preact/hooks';
import { usePage } from '../page.ts';
import { Icon } from '../parts/icon.tsx';
import { allMail, hrefOf } from '../place-url.ts';

/**
 * Menu of the user's teams. Each links to all mail, or to the same settings page. Shows `children` to users who have only the personal
 * team.
 */
export function Switcher({ children }: { children?: ComponentChildren }) {
  const { place, reloadTeams, sharedTeam, teamId, teamName, teams, urlIdOf } = usePage();
  const id = useId();
  const button = useRef<HTMLButtonElement>(null);
  const menu = useRef<HTMLDivElement>(null);
  const all = teams.value ?? [];
  if (all.length < 2) return <>{children}</>;
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
        aria-label={`Team: ${name}`}
        title={name}
        popovertarget={id}
      >
        <Icon name="people" />
        <span class="ellipsis">{name}</span>
        <Icon name="down" size={12} />
      </button>
      <div ref={menu} id={id} class="menu team-menu" popover="auto" onBeforeToggle={opens}>
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
      </div>
    </>
  );
}
