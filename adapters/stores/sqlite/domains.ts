import type { DatabaseSync } from 'node:sqlite';
import type { Sync } from '#adapters/stores/sqlite/workers/calls.ts';
import { bit, date, limited, pages, query, time } from '#adapters/stores/sqlite/workers/query.ts';
import type { Domain, DomainStore, Verification } from '#core/domains/domain.ts';
import { relatedPaths } from '#core/domains/domain-name.ts';
import type { Id } from '#core/ids.ts';

export type DomainReads = Sync<Pick<DomainStore, 'list' | 'listManaged' | 'find' | 'isFree' | 'dueForCheck'>>;
export type DomainWrites = Sync<Pick<DomainStore, 'writeVerdict'>>;

type Row = {
  id: number;
  owner: number;
  name: string;
  active: number;
  status: Verification['status'];
  source: Verification['source'];
  detail: string | null;
  refusals: number;
  checked_at: number | null;
  next_check_at: number | null;
  managed_by: string | null;
  assumed_client_ip: string | null;
  created_at: number;
  updated_at: number;
};

const columns = `id, owner, name, active, status, source, detail, refusals, checked_at, next_check_at, managed_by,
  assumed_client_ip, created_at, updated_at`;
const notDeleted = 'deleted_at IS NULL';

function toDomain(row: Row): Domain {
  const { id, owner, name, status, source, detail, refusals } = row;
  const checkedAt = date(row.checked_at);
  const nextCheckAt = date(row.next_check_at);
  return {
    id,
    owner,
    name,
    active: row.active === 1,
    verification: { status, source, detail, refusals, checkedAt, nextCheckAt },
    managedBy: row.managed_by,
    assumedClientIp: row.assumed_client_ip,
    createdAt: new Date(row.created_at),
    updatedAt: new Date(row.updated_at),
  };
}

/** Returns the columns of a verification. */
export function bindVerification({ checkedAt, nextCheckAt, ...rest }: Verification) {
  const { status, source, detail, refusals } = rest;
  const times = { checked_at: time(checkedAt), next_check_at: time(nextCheckAt) };
  return { status, source, detail, refusals, ...times };
}

/** Returns a function that finds a domain of another team above or below a name. */
export function relatedDomain(db: DatabaseSync): (owner: Id, name: string) => string | null {
  const found = query<{ name: string }>(
    db,
    `SELECT name FROM domain WHERE ${notDeleted} AND path IN (SELECT value FROM json_each(:above)) AND owner <> :owner
     UNION ALL
     SELECT name FROM domain WHERE ${notDeleted} AND path > :after AND path < :before AND owner <> :owner
     LIMIT 1`,
  );
  return (owner, name) => {
    const { above, below } = relatedPaths(name);
    const [after, before] = below;
    return found.get({ owner, above: JSON.stringify(above), after, before })?.name ?? null;
  };
}

export function domainReads(db: DatabaseSync): DomainReads {
  const byId = query<Row>(
    db,
    `SELECT ${columns} FROM domain WHERE id = :id AND owner = :owner AND ${notDeleted}`,
  );
  const byName = query<Row>(
    db,
    `SELECT ${columns} FROM domain WHERE name = :name AND owner = :owner AND ${notDeleted}`,
  );
  const matching = `FROM domain INDEXED BY domain_owner WHERE owner = :owner AND ${notDeleted}
    AND (:name IS NULL OR name = :name) AND (:active IS NULL OR active = :active)`;
  const list = pages(db, { columns, from: matching, order: 'id' }, toDomain);
  const taken = query<{ id: number }>(db, `SELECT id FROM domain WHERE name = :name AND ${notDeleted}`);
  const related = relatedDomain(db);
  const managed = query<Row>(
    db,
    `SELECT ${columns} FROM domain WHERE managed_by IS NOT NULL AND ${notDeleted}`,
  );
  const due = query<Row>(
    db,
    `SELECT ${columns} FROM domain WHERE ${notDeleted} AND next_check_at <= :now
       AND owner NOT IN (SELECT value FROM json_each(:except))
     ORDER BY next_check_at ${limited}`,
  );
  return {
    list: (owner, { name = null, active }, page) =>
      list(page, { owner, name, active: active === undefined ? null : bit(active) }),
    listManaged: () => managed.all().map(toDomain),
    find(owner, by) {
      const row = typeof by === 'string' ? byName.get({ owner, name: by }) : byId.get({ owner, id: by });
      return row === undefined ? null : toDomain(row);
    },
    isFree: (owner, name) => taken.get({ name }) === undefined && related(owner, name) === null,
    dueForCheck: (now, limit, except = []) =>
      due.all({ now: now.getTime(), limit, except: JSON.stringify(except) }).map(toDomain),
  };
}

export function domainWrites(db: DatabaseSync): DomainWrites {
  const verify = query(
    db,
    `UPDATE domain SET status = :status, source = :source, detail = :detail, refusals = :refusals,
       checked_at = :checked_at, next_check_at = :next_check_at WHERE id = :id`,
  );
  const checkedAt = query<{ checked_at: number | null }>(
    db,
    `SELECT checked_at FROM domain WHERE id = :id AND ${notDeleted} AND next_check_at IS NOT NULL`,
  );
  return {
    writeVerdict(id, readCheckedAt, verdict) {
      const row = checkedAt.get({ id });
      if (row === undefined || row.checked_at !== time(readCheckedAt)) return false;
      verify.run({ id, ...bindVerification(verdict) });
      return true;
    },
  };
}
