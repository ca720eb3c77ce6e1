import { signal } from '@preact/signals';
import { teamOf } from '../place-url.ts';

/** Team that this document shows. Null for the personal one. Another team is shown by another document. */
export const teamId = teamOf(location.pathname);

/** True once the API has answered that the user is in no such team. The page shows nothing of it from then on. */
export const isGone = signal(false);

/** Adds the team to the address of a link, an image or an event stream, which carry no header. */
export function inTeam(path: string): string {
  return teamId === null ? path : `${path}${path.includes('?') ? '&' : '?'}team_id=${teamId}`;
}
