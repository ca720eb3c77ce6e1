import { computed, signal } from '@preact/signals';
import type { Client } from './client.ts';
import type { Team } from './shapes.ts';

/** Teams of the user, and what the user's role allows in the team that is shown. */
export function createTeams({ readAll, roleRefusals, session, teamId }: Client) {
  /** Teams of the user. Null until first read. */
  const teams = signal<Team[] | null>(null);

  /** Checks whether a team is the user's own, not one that its user shares with them. In a team that is gone, the user is not known. */
  const isPersonal = ({ id, is_personal }: Team) => (session.value ? id === session.value.id : is_personal);

  /** Team that is shown. Somebody who signed in with an API key sees the team of the key. */
  const current = computed(() => {
    const all = teams.value ?? [];
    return teamId === null ? (all.find(isPersonal) ?? all[0]) : all.find(({ id }) => id === teamId);
  });

  /** Team that is shown, if several people can be in it. */
  const sharedTeam = computed(() => (current.value && !isPersonal(current.value) ? current.value : null));

  /** True if the user may change what belongs to the team. Nothing is offered before the role is known. */
  const mayWrite = computed(() => ['member', 'owner'].includes(current.value?.role ?? ''));

  /** True if the user may change the team itself: its members, invitations and name. */
  const mayManage = computed(() => current.value?.role === 'owner');

  /** Teams that the user may move a domain of this team to: an owner of both may. */
  const movesTo = computed(() =>
    mayManage.value
      ? (teams.value ?? []).filter(({ id, role }) => role === 'owner' && id !== current.value?.id)
      : [],
  );

  const teamName = (team: Team): string => (isPersonal(team) ? 'Personal' : team.name);

  /** Returns the path segment of a team in the page's URLs: null for the personal one. */
  const urlIdOf = (team: Team): number | null => (isPersonal(team) ? null : team.id);

  let reading: Promise<void> | null = null;

  /** Reads the teams and roles of the user again. Throws ApiError. */
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
  // A role has changed since it was read.
  roleRefusals.subscribe((count) => count > 0 && reload());
  addEventListener('visibilitychange', () => {
    if (!document.hidden && session.peek()) reload();
  });
  return { teams, team: current, sharedTeam, mayWrite, mayManage, movesTo, teamName, urlIdOf, reloadTeams };
}

export type Teams = ReturnType<typeof createTeams>;
