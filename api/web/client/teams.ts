import { computed, signal } from '@preact/signals';
import type { Toasts } from '../parts/toasts.ts';
import type { Client } from './client.ts';
import type { Team } from './shapes.ts';

/** Creates the state of the user's teams, and of what the user's role allows in the current team. */
export function createTeams(
  { readAll, roleRefusal, session, teamId }: Client,
  { tell }: Pick<Toasts, 'tell'>,
) {
  /** Teams of the user. Null until first read. */
  const teams = signal<Team[] | null>(null);

  /**
   * Checks whether a team is the personal team rather than one shared with the user. If the team no longer exists, the user is unknown.
   */
  const isPersonal = ({ id, is_personal }: Team) => (session.value ? id === session.value.id : is_personal);

  /** Current team. A user who signed in with an API key sees the key's team. */
  const current = computed(() => {
    const all = teams.value ?? [];
    return teamId === null ? (all.find(isPersonal) ?? all[0]) : all.find(({ id }) => id === teamId);
  });

  /** Current team, if it can have several members. */
  const sharedTeam = computed(() => (current.value && !isPersonal(current.value) ? current.value : null));

  /** True if the user may change the team's objects. False until the role is known. */
  const mayWrite = computed(() => ['member', 'owner'].includes(current.value?.role ?? ''));

  /** True if the user may change the team itself: its members, invitations and name. */
  const mayManage = computed(() => current.value?.role === 'owner');

  /** Teams to which the user may move a domain of this team. The user must own both teams. */
  const movesTo = computed(() =>
    mayManage.value
      ? (teams.value ?? []).filter(({ id, role }) => role === 'owner' && id !== current.value?.id)
      : [],
  );

  const teamName = (team: Team): string => (isPersonal(team) ? 'Personal' : team.name);

  /** Returns a team's path segment in the page's URLs: null for the personal team. */
  const urlIdOf = (team: Team): number | null => (isPersonal(team) ? null : team.id);

  let reading: Promise<void> | null = null;

  /** Reads the user's teams and roles again. Throws ApiError. */
  function reloadTeams(): Promise<void> {
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
  // The role has changed since it was read. What the user may not do disappears, often with the refused form.
  roleRefusal.subscribe((problem) => {
    if (problem === null) return;
    tell(problem.detail);
    reload();
  });
  addEventListener('visibilitychange', () => {
    if (!document.hidden && session.peek()) reload();
  });
  return { teams, team: current, sharedTeam, mayWrite, mayManage, movesTo, teamName, urlIdOf, reloadTeams };
}

export type Teams = ReturnType<typeof createTeams>;
