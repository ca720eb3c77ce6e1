import { createRows } from '#adapters/stores/mongo/changes/changes.ts';
import { fillRows } from '#adapters/stores/mongo/messages/found-reader.ts';
import {
  type RemovalRow,
  removalFields,
  removeMessages,
} from '#adapters/stores/mongo/messages/message-removal.ts';
import { idsOf, type MessageRow, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import type { RowStore } from '#core/change.ts';
import { removeDomain } from '#core/domains/change-domain.ts';
import { unlessGone } from '#core/errors.ts';
import type { Committed } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { Visibility } from '#core/messages/message.ts';
import type { Store, UpkeepStep, UpkeepWork } from '#core/store.ts';
import type { Context } from './context.ts';

/** Maximum soft-deleted mailboxes cleared together. */
const mailboxesAtOnce = 200;

type Works = {
  [Do in UpkeepWork['do']]: (
    work: Extract<UpkeepWork, { do: Do }>,
    limit: number,
  ) => Promise<Partial<UpkeepStep>>;
};

export function createUpkeep(context: Context): Store['upkeep'] {
  const { auditLog, refusals, sessions, invitations, failures, shares } = context.collections;
  const rows = createRows(context);
  const works: Works = {
    'remove-expired-messages': ({ visibility }, limit) => removeExpired(context, visibility, limit),
    'remove-soft-deleted': ({ now }, limit) => removeSoftDeleted(context, rows, now, limit),
    async 'remove-orphan-bodies'({ before }, limit) {
      const { orphanBodies } = context;
      const removed = await orphanBodies.collect(await orphanBodies.find(before, limit));
      return { more: removed === limit };
    },
    async 'remove-expired-secrets'({ now }) {
      const expired = { expiresAt: { $lte: now } };
      for (const rows of [sessions, invitations, failures, shares]) await rows.deleteMany(expired);
      return {};
    },
    async 'prune-audit-log'({ before }, limit) {
      const ids = await idsOf(auditLog, { at: { $lt: before } }, { limit });
      if (ids.length > 0) await auditLog.deleteMany({ _id: { $in: ids } });
      return { more: ids.length === limit };
    },
    async 'prune-refusals'({ before }) {
      // Deletes without batches: a process writes at most a few hundred refusals per second, and each team has at most a thousand.
      await refusals.deleteMany({ at: { $lt: before } });
      return {};
    },
    async 'prune-journal'({ before, keep }) {
      await pruneJournal(context, before, keep);
      return {};
    },
    'fill-columns': async (_, limit) => ({ more: await fillRows(context, limit) }),
  };
  return async (work, limit) => ({
    more: false,
    removed: [],
    ...(await works[work.do](work as never, limit)),
  });
}

async function removeExpired(context: Context, visibility: Visibility, limit: number): Promise<UpkeepStep> {
  const { messages } = context.collections;
  const expired = await findExpired(context, visibility, limit);
  const removed: Committed<number>[] = [];
  for (const [owner, rows] of Map.groupBy(expired, (row) => row.owner)) {
    const ids = { $in: rows.map((row) => row._id) };
    const commit = await removeMessages(context, owner, visibility.now, ({ session }) =>
      // Checks again: since the messages were found, they may have been removed, moved to another team, or kept for longer.
      messages
        .find<RemovalRow>(
          { _id: ids, owner, $or: isExpired(visibility) },
          { projection: removalFields, session },
        )
        .toArray(),
    );
    if (commit !== null) removed.push(commit);
  }
  return { more: removed.length > 0, removed };
}

function isExpired({ now, receivedAfter }: Visibility) {
  return [{ receivedAt: { $lte: receivedAfter } }, { dueAt: { $lte: now } }];
}

async function findExpired(
  { collections: { messages } }: Context,
  visibility: Visibility,
  limit: number,
): Promise<Pick<MessageRow, '_id' | 'owner'>[]> {
  for (const filter of isExpired(visibility)) {
    const rows = await messages.find(filter, { projection: { owner: 1 }, limit }).toArray();
    if (rows.length > 0) return rows;
  }
  return [];
}

/** Removes messages from soft-deleted mailboxes. When no messages are left, removes the mailboxes and everything above them. */
async function removeSoftDeleted(
  context: Context,
  rows: Pick<RowStore, 'change'>,
  now: Date,
  limit: number,
): Promise<Partial<UpkeepStep>> {
  const { teams, domains, accounts, mailboxes } = context.collections;
  const deletedTeams = await idsOf(teams, { deleted: true }, { limit });
  const living = domains.find({ owner: { $in: deletedTeams }, ...notDeleted }, { projection: { owner: 1 } });
  for await (const { _id: domain, owner: team } of living) {
    await unlessGone(rows.change(removeDomain, { team, domain, now }));
  }
  const [first] = await mailboxes.find({ deleted: true }).limit(1).toArray();
  if (first !== undefined) {
    const commit = await clearMailboxes(context, first.owner, now, limit);
    return { more: true, removed: commit === null ? [] : [commit] };
  }
  await accounts.deleteMany({ deleted: true });
  await domains.deleteMany({ deleted: true });
  for (const team of deletedTeams) await removeTeam(context, team);
  return {};
}

/** Removes messages from some of a team's soft-deleted mailboxes. If no messages are left, removes the mailboxes and returns null. */
async function clearMailboxes(
  context: Context,
  owner: Id,
  now: Date,
  limit: number,
): Promise<Committed<number> | null> {
  const { messages, mailboxes } = context.collections;
  const mailboxId = { $in: await idsOf(mailboxes, { owner, deleted: true }, { limit: mailboxesAtOnce }) };
  const commit = await removeMessages(context, owner, now, ({ session }) =>
    messages.find<RemovalRow>({ mailboxId }, { projection: removalFields, session, limit }).toArray(),
  );
  // Soft-deleted mailboxes receive no messages, so an empty one stays empty.
  if (commit === null) await mailboxes.deleteMany({ _id: mailboxId, deleted: true });
  return commit;
}

/** Removes a deleted team, unless it still has a domain, or a domain is moving from or to it. */
async function removeTeam({ collections }: Context, owner: Id): Promise<void> {
  const { domains, journal, auditLog, refusals, claims, orphans, teamVersions, teams } = collections;
  const own = { $or: [{ owner }, { 'move.from': owner }, { 'move.to': owner }] };
  if ((await domains.findOne(own, { projection: { _id: 1 } })) !== null) return;
  await journal.deleteMany({ owner });
  await auditLog.deleteMany({ team: owner });
  await refusals.deleteMany({ team: owner });
  await claims.deleteOne({ _id: owner });
  await orphans.deleteMany({ owner });
  await teamVersions.deleteOne({ _id: owner });
  await teams.deleteOne({ _id: owner });
}

async function pruneJournal({ collections }: Context, before: Date, keep: number): Promise<void> {
  const { teamVersions, journal } = collections;
  const inUse = teamVersions.find({ $expr: { $gt: ['$number', '$pruned'] } }).sort({ _id: 1 });
  for await (const { _id: owner, number: head, pruned: last } of inUse) {
    // Times ascend with event numbers, so all events before the first recent event are old.
    const young = await journal.findOne(
      { owner, at: { $gte: before } },
      { sort: { number: 1 }, projection: { number: 1 } },
    );
    const pruned = Math.max((young?.number ?? head + 1) - 1, head - keep);
    if (pruned <= last) continue;
    await journal.deleteMany({ owner, number: { $lte: pruned } });
    await teamVersions.updateOne({ _id: owner }, { $set: { pruned } });
  }
}
