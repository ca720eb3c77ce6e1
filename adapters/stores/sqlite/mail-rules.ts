import type { DatabaseSync } from 'node:sqlite';
import type { Id } from '#core/ids.ts';
import type { MailRule, MailRuleStore, RuleCounts } from '#core/rules/mail-rule.ts';
import type { Sync } from './workers/calls.ts';
import { query } from './workers/query.ts';

type Row = Pick<MailRule, 'id' | 'position' | 'matched' | 'discarded'> & { words: string };

export function mailRuleReads(db: DatabaseSync): Sync<MailRuleStore> {
  const version = query<{ rules: number }>(db, 'SELECT rules FROM team WHERE id = :team');
  const ofTeam = query<Row>(
    db,
    'SELECT id, position, words, matched, discarded FROM mail_rule WHERE team_id = :team ORDER BY position, id',
  );
  return {
    read: (team) => ({
      version: version.get({ team })?.rules ?? 0,
      rules: ofTeam.all({ team }).map(({ words, ...row }) => ({ ...row, ...JSON.parse(words) })),
    }),
  };
}

export type MailRuleWrites = {
  put(team: Id, rules: MailRule[]): void;
  remove(team: Id, ids?: Id[]): void;
  count(counts: Map<Id, RuleCounts>): void;
};

export function mailRuleWrites(db: DatabaseSync): MailRuleWrites {
  const put = query(
    db,
    `INSERT INTO mail_rule (id, team_id, position, words) VALUES (:id, :team, :position, :words)
     ON CONFLICT (id) DO UPDATE SET position = :position, words = :words`,
  );
  const removeSome = query(
    db,
    'DELETE FROM mail_rule WHERE team_id = :team AND id IN (SELECT value FROM json_each(:ids))',
  );
  const removeAll = query(db, 'DELETE FROM mail_rule WHERE team_id = :team');
  const renew = query(db, 'UPDATE team SET rules = rules + 1 WHERE id = :team');
  const count = query(
    db,
    'UPDATE mail_rule SET matched = matched + :matched, discarded = discarded + :discarded WHERE id = :id',
  );
  return {
    put(team, rules) {
      for (const { id, position, matched: _, discarded: _d, ...words } of rules)
        put.run({ id, team, position, words: JSON.stringify(words) });
      renew.run({ team });
    },
    remove(team, ids) {
      if (ids === undefined) removeAll.run({ team });
      else removeSome.run({ team, ids: JSON.stringify(ids) });
      renew.run({ team });
    },
    count(counts) {
      for (const [id, added] of counts) count.run({ id, ...added });
    },
  };
}
