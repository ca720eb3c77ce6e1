import type { DatabaseSync } from 'node:sqlite';
import { isTrimmedAt } from '#adapters/stores/audit-trim.ts';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { pages, query } from '#adapters/stores/sqlite/workers/query.ts';
import {
  type AuditEntry,
  type AuditStore,
  kindsOf,
  type PlainEntry,
  planEntries,
} from '#core/teams/audit-log.ts';

export type AuditReads = Sync<Pick<AuditStore, 'list'>>;
export type AuditWrites = Sync<Pick<AuditStore, 'record'>>;

type Row = Omit<AuditEntry, 'at' | 'more'> & { at: number; more: number | null };

export function auditReads(db: DatabaseSync): AuditReads {
  const columns = 'id, team_id AS team, at, actor, action, target, remote_address AS remoteAddress, more';
  const list = pages(
    db,
    { columns, from: 'FROM audit_entry WHERE team_id = :team', order: 'id DESC' },
    ({ at, more, ...row }: Row) => ({ ...row, ...(more !== null && { more }), at: new Date(at) }),
  );
  return { list: (team, page) => list(page, { team }) };
}

export function auditWrites(db: DatabaseSync): AuditWrites {
  const insert = query(
    db,
    `INSERT INTO audit_entry (team_id, at, actor, action, target, remote_address, more)
     SELECT :team, :at, :actor, :action, :target, :remoteAddress, :more
     WHERE EXISTS (SELECT 1 FROM team WHERE id = :team AND deleted_at IS NULL)`,
  );
  const trim = query(
    db,
    `DELETE FROM audit_entry WHERE id IN (
       SELECT id FROM audit_entry WHERE team_id = :team AND actor = :actor ORDER BY id DESC LIMIT -1 OFFSET :most + 0)`,
  );
  const ofKind = 'team_id = :team AND actor = :actor AND action = :action AND at >= :since AND at < :until';
  const earlier = query<{ entries: number }>(
    db,
    `SELECT count(*) AS entries FROM audit_entry WHERE ${ofKind} AND more IS NULL`,
  );
  const count = query(db, `UPDATE audit_entry SET more = more + :more WHERE ${ofKind} AND more IS NOT NULL`);
  const write = (entry: PlainEntry & { more?: number }, most: number) => {
    const { team, actor, at, more = null } = entry;
    const { changes, id } = insert.run({ ...entry, more, at: at.getTime() });
    if (changes === 1 && isTrimmedAt(id)) trim.run({ team, actor, most });
  };
  return {
    record(entries, { most, mostAnHour }) {
      for (const group of kindsOf(entries)) {
        const { since, until, ...rest } = group.kind;
        const kind = { ...rest, since: since.getTime(), until: until.getTime() };
        const known = earlier.get(kind)?.entries ?? 0;
        const { written, counted } = planEntries(group.kind, group.entries, known, mostAnHour);
        for (const entry of written) write(entry, most);
        if (counted === null || count.run({ ...kind, more: counted.more }).changes > 0) continue;
        write(counted, most);
      }
    },
  };
}
