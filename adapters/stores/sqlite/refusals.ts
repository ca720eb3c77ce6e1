import type { DatabaseSync } from 'node:sqlite';
import type { Id } from '#core/ids.ts';
import type { Refusal, RefusalStore } from '#core/refusals/refusal.ts';
import type { Sync } from './workers/calls.ts';
import { pages, query } from './workers/query.ts';

export type RefusalReads = Sync<Pick<RefusalStore, 'list'>>;
export type RefusalWrites = Sync<Pick<RefusalStore, 'add'>>;

type Row = { id: Id; team: Id; at: number; facts: string };

export function refusalReads(db: DatabaseSync): RefusalReads {
  const list = pages(
    db,
    {
      columns: 'id, team_id AS team, at, facts',
      from: 'FROM refusal WHERE team_id = :team AND at > :after',
      order: 'at DESC, id DESC',
    },
    ({ facts, at, ...row }: Row): Refusal => ({ ...JSON.parse(facts), ...row, at: new Date(at) }),
  );
  return { list: (team, after, page) => list(page, { team, after: after.getTime() }) };
}

export function refusalWrites(db: DatabaseSync): RefusalWrites {
  const insert = query(
    db,
    `INSERT INTO refusal (team_id, at, facts) SELECT :team, :at, :facts
     WHERE EXISTS (SELECT 1 FROM team WHERE id = :team AND deleted_at IS NULL)`,
  );
  const count = query<{ kept: number }>(db, 'SELECT count(*) AS kept FROM refusal WHERE team_id = :team');
  // `nth` counts the refusals of an address from its newest: those of the address with the most are the last.
  const trim = query(
    db,
    `DELETE FROM refusal WHERE id IN (
       SELECT id FROM (
         SELECT id, at, row_number() OVER (PARTITION BY facts ->> 'remoteAddress' ORDER BY at DESC, id DESC) AS nth
         FROM refusal WHERE team_id = :team)
       ORDER BY nth, at DESC, id DESC LIMIT -1 OFFSET :most + 0)`,
  );
  return {
    add(refusals, most) {
      for (const { team, at, ...facts } of refusals)
        insert.run({ team, at: at.getTime(), facts: JSON.stringify(facts) });
      for (const team of new Set(refusals.map((refusal) => refusal.team))) {
        if ((count.get({ team })?.kept ?? 0) > most) trim.run({ team, most });
      }
    },
  };
}
