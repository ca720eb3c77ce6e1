import type { ClientSession } from 'mongodb';
import type { Context } from '#adapters/stores/mongo/context.ts';
import { snapshot } from '#adapters/stores/mongo/messages/message-scope.ts';
import type { MessageRow, TokenRow } from '#adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';
import { type KnownThreads, planThreads, type ThreadMember, tokenKey } from '#core/messages/threads.ts';

type Linked = Pick<MessageRow, '_id' | 'accountId' | 'number' | 'ownToken' | 'references' | 'conversationId'>;

const member = ({ _id: id, ownToken, references, ...row }: Linked): ThreadMember => ({
  ...row,
  id,
  tokens: { own: ownToken, references },
});

/** Returns thread ids by conversation. Omits conversations with a single message. */
export async function threadIds(
  { collections: { conversations } }: Context,
  rows: Pick<MessageRow, 'conversationId'>[],
  session: ClientSession,
): Promise<Map<Id | null, Id>> {
  const ids = [...new Set(rows.flatMap(({ conversationId }) => conversationId ?? []))];
  if (ids.length === 0) return new Map();
  const found = await conversations
    .find({ _id: { $in: ids }, size: { $gt: 1 } }, { session, ...snapshot })
    .toArray();
  return new Map(found.map(({ _id, earliest }) => [_id, earliest]));
}

/**
 * Links new messages, in order, with others in their accounts, and writes the changed conversations. `named` are the rows of the tokens
 * that the messages contain or refer to. Returns the conversations of the new messages, whose rows the caller writes.
 */
export async function joinThreads(
  context: Context,
  session: ClientSession,
  arrivals: ThreadMember[],
  named: TokenRow[],
): Promise<Map<Id, Id>> {
  const { conversations, messages, tokens } = context.collections;
  const plan = planThreads(arrivals, await knownThreads(context, session, arrivals, named));
  for (const { from, into } of plan.merged) {
    const moved = { $set: { conversationId: into } };
    await messages.updateMany({ conversationId: from }, moved, { session });
    await tokens.updateMany({ conversationId: from }, moved, { session });
    await conversations.deleteOne({ _id: from }, { session });
  }
  const arrived = new Set(arrivals.map(({ id }) => id));
  for (const [_id, conversationId] of plan.conversationOf) {
    if (!arrived.has(_id)) await messages.updateOne({ _id }, { $set: { conversationId } }, { session });
  }
  if (plan.changed.length > 0) {
    const writes = plan.changed.map(({ id: _id, ...rest }) => ({
      updateOne: { filter: { _id }, update: { $set: rest }, upsert: true },
    }));
    await conversations.bulkWrite(writes, { session });
  }
  if (plan.referrers.size > 0) {
    const known = new Set(named.map(({ _id }) => _id));
    const writes = [...plan.referrers].map(([_id, { conversationId, added }]) =>
      known.has(_id)
        ? { updateOne: { filter: { _id }, update: { $set: { conversationId }, $inc: { referrers: added } } } }
        : { insertOne: { document: { _id, conversationId, referrers: added } } },
    );
    await tokens.bulkWrite(writes, { session });
  }
  return plan.conversationOf;
}

async function knownThreads(
  { collections: { conversations, messages } }: Context,
  session: ClientSession,
  arrivals: ThreadMember[],
  named: TokenRow[],
): Promise<KnownThreads> {
  const byToken = new Map(named.map((row) => [row._id, row.conversationId]));
  const projection = { accountId: 1, number: 1, ownToken: 1, references: 1, conversationId: 1 } as const;
  const holders = new Map<Id, Linked>();
  // Messages of one email share its tokens.
  for (const [mail, rows] of Map.groupBy(arrivals, ({ tokens }) => tokens)) {
    const isUnnamed = (accountId: Id, token: string) => !byToken.has(tokenKey(accountId, token));
    const accountIds = rows.map(({ accountId }) => accountId);
    const unnamed = mail.references.filter((token) => accountIds.some((id) => isUnnamed(id, token)));
    if (unnamed.length === 0) continue;
    const filter = { accountId: { $in: accountIds }, ownToken: { $in: unnamed } };
    const found = await messages.find<Linked>(filter, { session, projection }).toArray();
    for (const row of found) {
      if (isUnnamed(row.accountId, row.ownToken ?? '')) holders.set(row._id, row);
    }
  }
  const ids = new Set([
    ...byToken.values(),
    ...[...holders.values()].flatMap((row) => row.conversationId ?? []),
  ]);
  const found =
    ids.size === 0 ? [] : await conversations.find({ _id: { $in: [...ids] } }, { session }).toArray();
  return {
    byToken,
    holders: [...holders.values()].map(member),
    conversations: found.map(({ _id: id, ...row }) => ({ ...row, id })),
  };
}

/** Removes messages from their conversations. Their rows are already deleted. */
export async function leaveThreads(
  { collections }: Context,
  session: ClientSession,
  gone: Linked[],
): Promise<void> {
  const { conversations, messages, tokens } = collections;
  const keys = gone.flatMap(({ accountId, references }) =>
    references.map((token) => tokenKey(accountId, token)),
  );
  if (keys.length > 0) {
    const writes = [...Map.groupBy(keys, (key) => key)].map(([_id, { length }]) => ({
      updateOne: { filter: { _id }, update: { $inc: { referrers: -length } } },
    }));
    await tokens.bulkWrite(writes, { session });
    await tokens.deleteMany({ _id: { $in: keys }, referrers: { $lte: 0 } }, { session });
  }
  const left = Map.groupBy(
    gone.filter(({ conversationId }) => conversationId !== null),
    ({ conversationId }) => conversationId ?? 0,
  );
  if (left.size === 0) return;
  const firsts = await messages
    .aggregate<{ _id: Id; earliest: Id; number: number }>(
      [
        { $match: { conversationId: { $in: [...left.keys()] } } },
        { $sort: { conversationId: 1, number: 1, _id: 1 } },
        {
          $group: { _id: '$conversationId', earliest: { $first: '$_id' }, number: { $first: '$number' } },
        },
      ],
      { session },
    )
    .toArray();
  const stay = new Map(firsts.map((first) => [first._id, first]));
  const writes = [...left].map(([_id, { length }]) => {
    const first = stay.get(_id);
    if (first === undefined) return { deleteOne: { filter: { _id } } };
    const { earliest, number } = first;
    const update = { $set: { earliest, number }, $inc: { size: -length } };
    return { updateOne: { filter: { _id }, update } };
  });
  await conversations.bulkWrite(writes, { session });
}
