import type { DatabaseSync } from 'node:sqlite';
import type { Sync } from '#core/adapters/stores/sqlite/workers/calls.ts';
import { limited, onePage, query } from '#core/adapters/stores/sqlite/workers/query.ts';
import { offsetOf } from '#core/page.ts';
import { type AuditAction, type AuditStore, trimEvery } from '#core/teams/audit-log.ts';

export type AuditReads = Sync<Pick<AuditStore, 'list'>>;
export type AuditWrites = Sync<Pick<AuditStore, 'record' | 'prune'>>;

type Row = {
  id: number;
  team_id: number;
  at: number;
  actor: string;
  action: AuditAction;
  target: string;
  remote_address: string | null;
};

export function auditReads(db: DatabaseSync): AuditReads {
  const list = query<Row>(
    db,
    `SELECT id, team_id, at, actor, action, target, remote_address FROM audit_entry
     WHERE team_id = :team ORDER BY id DESC ${onePage}`,
  );
  const count = query<{ total: number }>(
    db,
    'SELECT count(*) AS total FROM audit_entry WHERE team_id = :team',
  );
  return {
    list(team, page) {
      const rows = list.all({ team, limit: page.limit, offset: offsetOf(page) });
      const items = rows.map(({ team_id, at, remote_address, ...row }) => ({
        ...row,
        team: team_id,
        at: new Date(at),
        remoteAddress: remote_address,
      }));
      return { items, total: count.get({ team })?.total ?? 0 };
    },
  };
}

export function auditWrites(db: DatabaseSync): AuditWrites {
  const insert = query(
    db,
    `INSERT INTO audit_entry (team_id, at, actor, action, target, remote_address)
     SELECT :team, :at, :actor, :action, :target, :remoteAddress
     WHERE EXISTS (SELECT 1 FROM team WHERE id = :team AND deleted_at IS NULL)`,
  );
  const old = query(
    db,
    `DELETE FROM audit_entry WHERE id IN (
       SELECT id FROM audit_entry INDEXED BY audit_entry_age WHERE at < :before ORDER BY at ${limited})`,
  );
  const trim = query(
    db,
    `DELETE FROM audit_entry WHERE id IN (
       SELECT id FROM audit_entry WHERE team_id = :team ORDER BY id DESC LIMIT -1 OFFSET :most + 0)`,
  );
  return {
    record(entries, most) {
      for (const { at, ...entry } of entries) {
        const { changes, id } = insert.run({ ...entry, at: at.getTime() });
        if (changes === 1 && id % trimEvery === 0) trim.run({ team: entry.team, most });
      }
    },
    prune: (before, limit) => old.run({ before: before.getTime(), limit }).changes,
  };
}
