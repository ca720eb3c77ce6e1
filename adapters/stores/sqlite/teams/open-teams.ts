import type { DatabaseSync } from 'node:sqlite';
import { here, there } from '#adapters/stores/sqlite/workers/calls.ts';
import type { WorkerThread } from '#adapters/stores/sqlite/workers/worker-thread.ts';
import type { Store } from '#core/store.ts';
import { type AuditWrites, auditReads } from './audit-log.ts';
import { type InvitationWrites, invitationReads } from './invitations.ts';
import { type MemberRuleWrites, memberRuleReads } from './member-rules.ts';
import { type TeamWrites, teamReads } from './teams.ts';

/** Returns the ports of teams, their invitations, the rules of their members and their audit log. Writes run in the thread `writer`. */
export function openTeams(
  reader: DatabaseSync,
  writer: WorkerThread,
): Pick<Store, 'teams' | 'invitations' | 'memberRules' | 'auditLog'> {
  return {
    teams: {
      ...here(teamReads(reader)),
      ...there<TeamWrites>(writer, 'teams', {
        insert: true,
        rename: true,
        softDelete: true,
        clearDeleted: true,
        grant: true,
        revoke: true,
      }),
    },
    invitations: {
      ...here(invitationReads(reader)),
      ...there<InvitationWrites>(writer, 'invitations', {
        insert: true,
        remove: true,
        accept: true,
        removeExpired: true,
      }),
    },
    memberRules: {
      ...here(memberRuleReads(reader)),
      ...there<MemberRuleWrites>(writer, 'memberRules', { put: true, settle: true, remove: true }),
    },
    auditLog: {
      ...here(auditReads(reader)),
      ...there<AuditWrites>(writer, 'auditLog', { record: true, prune: true }),
    },
  };
}
