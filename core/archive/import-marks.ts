import { hashSecret } from '#core/access/secrets.ts';
import type { Id } from '#core/ids.ts';
import type { AuditStore } from '#core/teams/audit-log.ts';
import { type AuditPorts, administrator, recordAction } from '#core/teams/record-action.ts';

/** Number of oldest entries of an audit log among which the mark of an import is searched for. */
const oldest = 10;

export type MarkPorts = AuditPorts & { auditLog: Pick<AuditStore, 'record' | 'list'> };

/** Marks of the teams that an archive has made, by which a later run of the same archive finds them again. */
export type ImportMarks = { set(team: Id): Promise<void>; has(team: Id): Promise<boolean> };

/**
 * Returns the marks of an archive. A mark is the first entry of the team's audit log: it is in the store, since whoever made
 * the archive can write into its folder. It has a digest of the archive's secret, so that whoever reads the log cannot make an
 * archive with that secret.
 */
export function importMarks(ports: MarkPorts, secret: string): ImportMarks {
  const archive = hashSecret(secret);
  return {
    set: (team) => recordAction(ports, team, administrator, 'team.imported', archive),
    async has(team) {
      const { total } = await ports.auditLog.list(team, { page: 1, limit: 1 });
      const page = Math.max(1, Math.ceil(total / oldest));
      const { items } = await ports.auditLog.list(team, { page, limit: oldest });
      return items.some(
        ({ actor, action, target }) =>
          actor === administrator.name && action === 'team.imported' && target === archive,
      );
    },
  };
}
