import { computed, signal } from '@preact/signals';
import { readAll } from './directory.ts';
import { roleRefusals } from './request.ts';
import { session } from './session.ts';
import type { Team } from './shapes.ts';
import { teamId } from './team.ts';

/** Teams of the user. Null until first read. */
export const teams = signal<Team[] | null>(null);

/** Tells a user's own team from one that its user shares with them. In a team that is gone, the user is not known. */
const isPersonal = ({ id, is_personal }: Team) => (session.value ? id === session.value.id : is_personal);

/** Team that is shown. Somebody who signed in with an API key sees the team of the key. */
const current = computed(() => {
  const all = teams.value ?? [];
  return teamId === null ? (all.find(isPersonal) ?? all[0]) : all.find(({ id }) => id === teamId);
});

/** Team that is shown, if several people can be in it. */
export const sharedTeam = computed(() =>
  current.value && !isPersonal(current.value) ? current.value : null,
);

/** Tells whether the user may change things of the team. Nothing is offered before the role is known. */
export const mayWrite = computed(() => ['member', 'owner'].includes(current.value?.role ?? ''));

/** Tells whether the user may change the team itself: its members, invitations and name. */
export const mayManage = computed(() => current.value?.role === 'owner');

/** Teams that the user may move a domain of this team to: an owner of both may. */
export const movesTo = computed(() =>
  mayManage.value
    ? (teams.value ?? []).filter(({ id, role }) => role === 'owner' && id !== current.value?.id)
    : [],
);

export const nameOf = (team: Team): string => (isPersonal(team) ? 'Personal' : team.name);

/** Returns the path segment of a team in the page's URLs: null for the personal one. */
export const urlIdOf = (team: Team): number | null => (isPersonal(team) ? null : team.id);

let reading: Promise<void> | null = null;

/** Reads the teams and roles of the user again. Throws ApiError. */
export function reloadTeams(): Promise<void> {
  reading ??= readAll<Team>('/api/teams')
    .then((all) => {
      teams.value = all;
    })
    .finally(() => {
      reading = null;
    });
  return reading;
}

const reload = () => void reloadTeams().catch(() => {});
session.subscribe((user) => {
  if (user === null) teams.value = null;
  else if (user && teams.peek() === null) reload();
});
// A role has changed since it was read.
roleRefusals.subscribe((count) => count > 0 && reload());
addEventListener('visibilitychange', () => {
  if (!document.hidden && session.peek()) reload();
});
