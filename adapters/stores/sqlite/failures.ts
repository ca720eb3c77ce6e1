import type { DatabaseSync } from 'node:sqlite';
import type { Facts } from '#core/change.ts';
import type { Failure, FailureRule, FailureStore, FailureWords } from '#core/failures/failure.ts';
import type { Id } from '#core/ids.ts';
import type { Sync } from './workers/calls.ts';
import { pages, query } from './workers/query.ts';

type RuleRow = { id: number; words: string; created_at: number; expires_at: number };
type Row = RuleRow & { hits: number; attempts: string; window_since: number | null; window_count: number };

const ruleColumns = 'id, words, created_at, expires_at';
const columns = `${ruleColumns}, hits, attempts, window_since, window_count`;

const toRule = ({ id, words, created_at, expires_at }: RuleRow): FailureRule => ({
  ...(JSON.parse(words) as FailureWords),
  ...{ id, createdAt: new Date(created_at), expiresAt: new Date(expires_at) },
});

const toFailure = (row: Row): Failure => ({
  ...toRule(row),
  hits: row.hits,
  attempts: (JSON.parse(row.attempts) as Failure['attempts']).map(({ at, ...attempt }) => ({
    at: new Date(at),
    ...attempt,
  })),
  window: row.window_since === null ? null : { since: new Date(row.window_since), count: row.window_count },
});

export function failureReads(db: DatabaseSync): Sync<FailureStore> {
  const version = query<{ failures: number }>(db, 'SELECT failures FROM team WHERE id = :team');
  const rules = "FROM failure WHERE team_id = :team AND key = ''";
  const all = query<RuleRow>(db, `SELECT ${ruleColumns} ${rules} ORDER BY id`);
  const live = `${rules} AND expires_at > :now AND (:id IS NULL OR id = :id)`;
  const list = pages(db, { columns, from: live, order: 'id' }, toFailure);
  return {
    read: (team) => ({ version: version.get({ team })?.failures ?? 0, rules: all.all({ team }).map(toRule) }),
    list: (team, { now, id }, page) => list(page, { team, now: now.getTime(), id: id ?? null }),
  };
}

/** Facts of changes of failures. */
export function failureFacts(db: DatabaseSync): {
  find(team: Id, by: Id | string): Failure | null;
  count(team: Id, now: Date): Facts['failures'];
} {
  const byId = query<Row>(
    db,
    `SELECT ${columns} FROM failure WHERE id = :by AND team_id = :team AND key = ''`,
  );
  const byKey = query<Row>(db, `SELECT ${columns} FROM failure WHERE team_id = :team AND key = :by`);
  const count = query<{ total: number; oldest: number | null }>(
    db,
    'SELECT count(*) AS total, min(id) AS oldest FROM failure WHERE team_id = :team AND (key > :none) = :counts AND expires_at > :now',
  );
  return {
    find(team, by) {
      const row = (typeof by === 'number' ? byId : byKey).get({ team, by });
      return row === undefined ? null : toFailure(row);
    },
    count(team, now) {
      const of = (counts: number) => count.get({ team, now: now.getTime(), none: '', counts });
      const counts = of(1);
      return { rules: of(0)?.total ?? 0, counts: counts?.total ?? 0, oldestCount: counts?.oldest ?? null };
    },
  };
}

export type FailureWrites = {
  put(team: Id, key: string, failure: Failure): void;
  remove(team: Id, which: { ids?: Id[] | undefined; over?: Date | undefined }): void;
  renew(team: Id): void;
};

export function failureWrites(db: DatabaseSync): FailureWrites {
  const put = query(
    db,
    `INSERT INTO failure (id, team_id, key, words, created_at, expires_at, hits, attempts, window_since, window_count)
     VALUES (:id, :team, :key, :words, :created, :expires, :hits, :attempts, :since, :count)
     ON CONFLICT (id) DO UPDATE SET hits = :hits, attempts = :attempts, window_since = :since, window_count = :count`,
  );
  const removeSome = query(
    db,
    'DELETE FROM failure WHERE team_id = :team AND id IN (SELECT value FROM json_each(:ids))',
  );
  const removeOver = query(db, 'DELETE FROM failure WHERE team_id = :team AND expires_at <= :over');
  const removeAll = query(db, 'DELETE FROM failure WHERE team_id = :team');
  const renew = query(db, 'UPDATE team SET failures = failures + 1 WHERE id = :team');
  return {
    put(team, key, { id, createdAt, expiresAt, hits, attempts, window, ...words }) {
      put.run({
        ...{ id, team, key, words: JSON.stringify(words) },
        ...{ created: createdAt.getTime(), expires: expiresAt.getTime() },
        ...{ hits, attempts: JSON.stringify(attempts) },
        ...{ since: window?.since.getTime() ?? null, count: window?.count ?? 0 },
      });
    },
    remove(team, { ids, over }) {
      if (ids !== undefined) removeSome.run({ team, ids: JSON.stringify(ids) });
      else if (over !== undefined) removeOver.run({ team, over: over.getTime() });
      else removeAll.run({ team });
    },
    renew(team) {
      renew.run({ team });
    },
  };
}
