import type { Id } from '#core/ids.ts';
import { type AuditStore, kubernetes } from './audit-log.ts';
import type { InvitationStore } from './invitation.ts';
import { noteAction } from './note-action.ts';
import type { TeamStore } from './team.ts';

type Ports = {
  teams: TeamStore;
  invitations: InvitationStore;
  auditLog: Pick<AuditStore, 'record'>;
  log: Record<'info' | 'error', (fields: object, message: string) => void>;
  clock: () => Date;
};

const page = { page: 1, limit: 200 };

/**
 * Ends all memberships and invitations of a namespace that is gone: a later namespace of the same name has the same team, and
 * may be of other people. Safe to repeat.
 */
export async function removeMembers(ports: Ports, team: Id): Promise<void> {
  const { teams, invitations, clock } = ports;
  for (;;) {
    const { items } = await invitations.list(team, clock(), page);
    if (items.length === 0) break;
    for (const { id } of items) await invitations.remove(team, id);
  }
  for (;;) {
    const { items } = await teams.members(team, page);
    if (items.length === 0) return;
    for (const { userId, email, grants } of items) {
      for (const { source } of grants) await teams.revoke(team, userId, source);
      await noteAction(ports, team, kubernetes, 'member.removed', email);
    }
  }
}
