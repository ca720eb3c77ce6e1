import type { ClientSession } from 'mongodb';
import type { Id } from '#core/ids.ts';
import type { MailRule, MailRuleStore, RuleCounts } from '#core/rules/mail-rule.ts';
import type { Context } from './context.ts';

type Collections = Pick<Context, 'collections'>;

export function createMailRules(context: Collections): MailRuleStore {
  const { teamVersions } = context.collections;
  return {
    async read(team) {
      const row = await teamVersions.findOne({ _id: team }, { projection: { rules: 1 } });
      return { version: row?.rules ?? 0, rules: await readMailRules(context, team) };
    },
  };
}

/** Reads the rules of a team, in a transaction if there is a session. */
export async function readMailRules(
  { collections: { mailRules } }: Collections,
  team: Id,
  session?: ClientSession,
): Promise<MailRule[]> {
  const own = mailRules.find({ team }, session && { session });
  const rows = await own.sort({ position: 1, _id: 1 }).toArray();
  return rows.map(({ _id: id, team: _, ...rule }) => ({ id, ...rule }));
}

export type MailRuleWrites = {
  put(team: Id, rules: MailRule[], session: ClientSession): Promise<void>;
  remove(team: Id, ids: Id[] | undefined, session: ClientSession): Promise<void>;
};

/** Writes rules in transactions that have locked their team. */
export function createMailRuleWrites({
  collections: { mailRules, teamVersions },
}: Collections): MailRuleWrites {
  const renew = (team: Id, session: ClientSession) =>
    teamVersions.updateOne({ _id: team }, { $inc: { rules: 1 } }, { session });
  return {
    async put(team, rules, session) {
      for (const { id: _id, matched: _, discarded: _d, ...rule } of rules) {
        const written = { $set: { ...rule, team }, $setOnInsert: { matched: 0, discarded: 0 } };
        await mailRules.updateOne({ _id }, written, { session, upsert: true });
      }
      await renew(team, session);
    },
    async remove(team, ids, session) {
      await mailRules.deleteMany({ team, ...(ids && { _id: { $in: ids } }) }, { session });
      await renew(team, session);
    },
  };
}

/** Adds to the counts of rules, in the transaction of a delivery. */
export async function countRuled(
  { collections: { mailRules } }: Collections,
  session: ClientSession,
  counts: Map<Id, RuleCounts>,
): Promise<void> {
  if (counts.size === 0) return;
  await mailRules.bulkWrite(
    [...counts].map(([_id, added]) => ({ updateOne: { filter: { _id }, update: { $inc: added } } })),
    { session },
  );
}
