import { allNames } from '#adapters/stores/mongo/changes/changes.ts';
import type { TeamLock } from '#adapters/stores/mongo/locking/team-lock.ts';
import { mongoQueries, versionsOf } from '#adapters/stores/mongo/rows/custom-queries.ts';
import { rowDriver, rowFrom } from '#adapters/stores/mongo/rows/driver.ts';
import { type DomainRow, idsOf, type MoveNote, notDeleted } from '#adapters/stores/mongo/schema/rows.ts';
import { readMoveState } from '#adapters/stores/rows/nouns.ts';
import { runAsync } from '#adapters/stores/rows/steps.ts';
import { domains as domainTable } from '#adapters/stores/rows/tables.ts';
import type { Domain } from '#core/domains/domain.ts';
import { type DomainMoves, judgeMove, type MoveStep, renumbering } from '#core/domains/move.ts';
import type { NewEvent } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { Context } from './context.ts';
import { appendEvents, numbered } from './journal.ts';

type Moving = DomainRow & { move: MoveNote };

/** Maximum mailboxes whose messages one query reads. */
const mailboxesAtOnce = 200;

/**
 * Moves domains. While a domain is moving, the owner of the domain and of its accounts and mailboxes is the negative of the domain's id.
 */
export function createMoves(context: Context): DomainMoves {
  const { collections, withTeamLock } = context;
  const { domains, accounts, mailboxes, journal } = collections;

  const onItsWay = async (id: Id | null): Promise<Moving | null> => {
    const owner = id === null ? { $lt: 0 } : -id;
    const row = await domains.findOne({ owner, ...notDeleted });
    return row === null || !isMoving(row) ? null : row;
  };
  const goOn = async ({ _id: id, move: { from, to } }: Moving, limit: number, now: Date) =>
    withTeamLock([from, to], async (lock) => {
      const row = await domains.findOne({ _id: id, owner: -id, ...notDeleted }, { session: lock.session });
      return row === null || !isMoving(row) ? null : advance(context, lock, row, limit, now);
    });
  const hide = async ({ session, newest }: TeamLock, row: DomainRow, to: Id, limit: number, now: Date) => {
    const { _id: id, owner: from, active } = row;
    const accountId = { $in: await idsOf(accounts, { domainId: id, ...notDeleted }, { session }) };
    const held = { accountId, ...notDeleted };
    const [counted] = await mailboxes
      .aggregate<{ total: number }>(
        [{ $match: held }, { $group: { _id: null, total: { $sum: '$total' } } }],
        {
          session,
        },
      )
      .toArray();
    const heads = { from: newest.get(from) ?? 0, to: newest.get(to) ?? 0 };
    const move = { from, to, active, ...renumbering(heads, (counted?.total ?? 0) < limit) };
    const hidden = { owner: -id, active: false, updatedAt: now, move };
    await accounts.updateMany({ domainId: id, ...notDeleted }, { $set: { owner: -id } }, { session });
    await mailboxes.updateMany(held, { $set: { owner: -id } }, { session });
    await domains.updateOne({ _id: id }, { $set: hidden }, { session });
    const told = { owner: from, type: 'message.received' as const, accountId };
    await journal.updateMany(told, { $set: { subject: '' } }, { session });
    return { ...row, ...hidden };
  };

  return {
    async begin(owner, id, to, { quotas, limit, now }) {
      const begun = await withTeamLock([allNames, owner, to], async (lock) => {
        const row = await domains.findOne({ _id: id, owner, ...notDeleted }, { session: lock.session });
        if (row === null) return null;
        const run = rowDriver(context.db, mongoQueries(context, lock.session), lock.session);
        const state = await runAsync(readMoveState(rowFrom(domainTable, row), to), run);
        const refusal = judgeMove(state, quotas);
        if (refusal !== null) return refusal;
        const moving = await hide(lock, row, to, limit, now);
        return { domain: whenMoved(moving), ...(await advance(context, lock, moving, limit, now)) };
      });
      if (begun !== null) return begun;
      const row = await onItsWay(id);
      if (row?.move.from !== owner || row.move.to !== to) return null;
      const step = await goOn(row, limit, now);
      return { domain: whenMoved(row), ...(step ?? { commits: [], done: true }) };
    },
    async step(id, limit, now) {
      const row = await onItsWay(id);
      return row && goOn(row, limit, now);
    },
  };
}

function isMoving(row: DomainRow): row is Moving {
  return row.move !== undefined;
}

function whenMoved({ move: { to: owner, active }, ...row }: Moving): Domain {
  return rowFrom(domainTable, { ...row, owner, active });
}

/** Executes one step of a move in a transaction that has locked both teams. */
async function advance(
  context: Context,
  lock: TeamLock,
  moving: Moving,
  limit: number,
  at: Date,
): Promise<MoveStep> {
  const { messages, mailboxes } = context.collections;
  const { session } = lock;
  const { from, shift } = moving.move;
  const left: NewEvent[] = [];
  let done = false;
  while (left.length < limit && !done) {
    const full = { owner: -moving._id, ...notDeleted, total: { $gt: 0 }, moved: { $exists: false } };
    const boxes = await idsOf(mailboxes, full, { session, limit: mailboxesAtOnce });
    done = boxes.length === 0;
    if (done) break;
    // Messages that have already moved have numbers from `shift` up.
    const rows = await messages
      .find(
        { mailboxId: { $in: boxes }, number: { $lt: shift } },
        { session, projection: { number: 1, accountId: 1, mailboxId: 1, conversationId: 1 } },
      )
      .limit(limit - left.length)
      .toArray();
    await moveMessages(context, lock, rows, moving.move);
    for (const { _id: messageId, number: messageNumber, accountId, mailboxId } of rows) {
      left.push({ type: 'message.deleted', messageId, messageNumber, accountId, mailboxId, at });
    }
    if (left.length < limit) {
      await mailboxes.updateMany({ _id: { $in: boxes } }, { $set: { moved: true } }, { session });
    }
  }
  const events = numbered(lock, from, left);
  await appendEvents(context, lock, from, events);
  if (done) await show(context, lock, moving);
  return { commits: events.length === 0 ? [] : [{ owner: from, result: events.length, events }], done };
}

/** Assigns messages to the team, with event numbers of that team, and updates the rows by which they are found. */
async function moveMessages(
  { collections: { messages, searchPieces, conversations } }: Context,
  { session }: TeamLock,
  rows: { _id: Id; conversationId: Id | null }[],
  { to, shift }: MoveNote,
): Promise<void> {
  if (rows.length === 0) return;
  const ids = { $in: rows.map(({ _id }) => _id) };
  const threads = new Set(rows.flatMap(({ conversationId }) => conversationId ?? []));
  const raise = { $inc: { number: shift } };
  await messages.updateMany({ _id: ids }, { ...raise, $set: { owner: to } }, { session });
  await searchPieces.updateMany({ messageId: ids }, { $set: { owner: to } }, { session });
  if (threads.size === 0) return;
  await conversations.updateMany({ _id: { $in: [...threads] }, earliest: ids }, raise, { session });
}

async function show(
  { collections }: Context,
  { session, newest: heads }: TeamLock,
  { _id, move: { to, active, newest } }: Moving,
): Promise<void> {
  const { domains, accounts, mailboxes, teamVersions } = collections;
  const hidden = { owner: -_id, ...notDeleted };
  // The team may have added a capture account since the move started.
  const captures = await accounts.findOne({ owner: to, capture: true, ...notDeleted }, { session });
  const owned = { owner: to, ...(captures === null ? {} : { capture: false }) };
  await accounts.updateMany(hidden, { $set: owned }, { session });
  await mailboxes.updateMany(hidden, { $set: { owner: to }, $unset: { moved: true } }, { session });
  const { failures } = await versionsOf({ collections }, to, { session });
  const shown = { owner: to, active, failures };
  await domains.updateOne({ _id }, { $set: shown, $unset: { move: true } }, { session });
  const number = Math.max((heads.get(to) ?? 0) + 1, newest);
  await teamVersions.updateOne({ _id: to }, { $set: { number } }, { session });
}
