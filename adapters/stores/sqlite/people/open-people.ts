import type { DatabaseSync } from 'node:sqlite';
import type { ChangeWrites } from '#adapters/stores/sqlite/changes/changes.ts';
import { here, there } from '#adapters/stores/sqlite/workers/calls.ts';
import type { Thread } from '#adapters/threads/thread.ts';
import type { Change, Scope } from '#core/change.ts';
import type { Store } from '#core/store.ts';
import { type AuditWrites, auditReads } from './audit-log.ts';
import { memberRuleReads } from './member-rules.ts';
import { invitationReads, teamReads } from './teams.ts';
import { apiKeyReads, sessionReads, type UseWrites, userReads } from './users.ts';

type Ports = 'rows' | 'users' | 'sessions' | 'apiKeys' | 'teams' | 'invitations' | 'memberRules' | 'auditLog';

/** Returns the ports of users and teams. Changes are planned and written in the thread `writer`. */
export function openPeople(reader: DatabaseSync, writer: Thread): Pick<Store, Ports> {
  const writes = there<ChangeWrites>(writer, 'rows', { change: true });
  const { touch, ...session } = there<UseWrites>(writer, 'uses', { touch: true, extend: true, remove: true });
  return {
    rows: {
      ...writes,
      change: <Args extends Scope, Result>({ name }: Change<Args, Result>, args: Args) =>
        writes.change(name, args) as Promise<Result>,
    },
    users: here(userReads(reader)),
    sessions: { ...here(sessionReads(reader)), ...session },
    apiKeys: { ...here(apiKeyReads(reader)), touch },
    teams: here(teamReads(reader)),
    invitations: here(invitationReads(reader)),
    memberRules: here(memberRuleReads(reader)),
    auditLog: {
      ...here(auditReads(reader)),
      ...there<AuditWrites>(writer, 'auditLog', { record: true }),
    },
  };
}
