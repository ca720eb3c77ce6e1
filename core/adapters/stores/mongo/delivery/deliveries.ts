import { createBodyWriter } from '#core/adapters/stores/mongo/bodies/body-writer.ts';
import { chunkBytes } from '#core/adapters/stores/mongo/bodies/bucket.ts';
import { insertBodies } from '#core/adapters/stores/mongo/bodies/contents.ts';
import type { Context } from '#core/adapters/stores/mongo/context.ts';
import { changeCounts, countsOf } from '#core/adapters/stores/mongo/counts.ts';
import { insertEvents, returnNumbers } from '#core/adapters/stores/mongo/journal.ts';
import { Outdated, type Turn } from '#core/adapters/stores/mongo/locking/transactions.ts';
import { countChange } from '#core/adapters/stores/mongo/locking/turn-heads.ts';
import { piecesOf } from '#core/adapters/stores/mongo/messages/message-search.ts';
import type { MessageRow } from '#core/adapters/stores/mongo/schema/rows.ts';
import { joinThreads } from '#core/adapters/stores/mongo/threads/conversations.ts';
import type { DeliveryStore, DeliveryVerdict } from '#core/delivery/delivery.ts';
import { StoreUnavailable } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { createRecipientLookup, readForDelivery } from './delivery-accounts.ts';
import { batchRows, numbersWanted } from './delivery-rows.ts';
import { type AccountState, judgeDeliveries } from './judge-deliveries.ts';
import { type StagedMail, stageMails } from './stage-mails.ts';

export function createDeliveries(context: Context): DeliveryStore {
  return {
    lookUp: createRecipientLookup(context),
    writeBody: () => createBodyWriter(context),
    // One transaction at a time: they gather most. What takes long to write before it goes by itself.
    lane: ({ body }) => ('bytes' in body && body.bytes.length <= chunkBytes ? 'all' : null),
    // The commands of a batch cost much the same however few mails it holds.
    gatherMs: 10,
    async commitDeliveries(mails, next) {
      if (mails.length === 0) return [];
      const staged = await stageMails(context, mails);
      const numbers = numbersWanted(mails);
      const remember = context.deliveryMemory.beforeCommit();
      const { verdicts } = await context.takeTurn(
        numbers.keys(),
        (turn) => commit(context, turn, staged, numbers),
        { numbers, delivers: true, written: (turn, { accounts }) => remember(turn, accounts), over: next },
      );
      // What was written for a mail that is refused goes; a body that came by itself is its writer's to discard.
      const refused = staged.filter(
        ({ mail, loose }, index) =>
          loose && 'bytes' in mail.body && 'reason' in (verdicts[index] ?? { ids: [] }),
      );
      await context.looseBodies.collect(refused.map(({ mailId }) => mailId));
      return verdicts;
    },
  };
}

/** What a batch came to, and the accounts that it was for, as they are after it. */
type Committed = { verdicts: DeliveryVerdict[]; accounts: Map<Id, AccountState> };

/** Everything of a batch but what was too large, in one transaction: the rows make the bodies messages. */
async function commit(
  context: Context,
  turn: Turn,
  staged: StagedMail[],
  numbers: Map<Id, number>,
): Promise<Committed> {
  const { session } = turn;
  const mails = staged.map(({ mail }) => mail);
  const { accounts, remembered, tokens } = await readForDelivery(context, turn, mails);
  const judgements = judgeDeliveries(mails, accounts);
  const { verdicts, rows, heads } = batchRows(staged, judgements, turn.heads, new Date());
  const taken = staged.filter((_, index) => 'ids' in (verdicts[index] ?? {}));
  if (taken.length === 0) {
    await returnNumbers(context, turn, numbers, heads);
    return { verdicts, accounts };
  }

  const loose = taken.filter((mail) => mail.loose).map(({ mailId }) => mailId);
  if (loose.length > 0 && !(await context.looseBodies.claim(session, loose))) {
    throw new StoreUnavailable('A body of this batch is gone');
  }
  await insertBodies(context, session, taken);
  const conversations = await joinThreads(context, session, rows, tokens);
  await context.collections.messages.insertMany(
    rows.map((row) => ({ ...row, conversationId: conversations.get(row._id) ?? null })),
    { session },
  );
  await insertPieces(context, turn, taken, rows);
  if (!(await changeCounts(context, session, rows, 1, remembered ? accounts : undefined))) {
    for (const owner of turn.heads.keys()) context.deliveryMemory.forget(owner);
    throw new Outdated();
  }
  const commits = verdicts.flatMap((verdict) => ('ids' in verdict ? verdict.commits : []));
  await insertEvents(context, turn, commits);
  await returnNumbers(context, turn, numbers, heads);
  const after = withRows(accounts, rows);
  await markThreaded(context, turn, accounts, after);
  return { verdicts, accounts: after };
}

/** Notes of accounts that they have tokens from now on, which other processes must hear of. */
async function markThreaded(
  { collections: { accounts, heads } }: Context,
  turn: Turn,
  before: Map<Id, AccountState>,
  after: Map<Id, AccountState>,
): Promise<void> {
  const first = [...after.values()].filter(({ id, threaded }) => threaded && !before.get(id)?.threaded);
  if (first.length === 0) return;
  const { session } = turn;
  const ids = first.map(({ id }) => id);
  await accounts.updateMany({ _id: { $in: ids } }, { $set: { threaded: true } }, { session });
  const owners = new Set(first.map(({ owner }) => owner));
  await countChange(heads, session, turn, [...owners]);
}

/** The accounts as they are once they have these messages. */
function withRows(accounts: Map<Id, AccountState>, rows: MessageRow[]): Map<Id, AccountState> {
  const after = new Map(accounts);
  for (const [accountId, own] of Map.groupBy(rows, (row) => row.accountId)) {
    const account = accounts.get(accountId);
    if (account === undefined) continue;
    const usedBytes = account.usedBytes + countsOf(own, 1).bytes;
    const threaded = account.threaded || own.some(({ references }) => references.length > 0);
    after.set(accountId, { ...account, usedBytes, threaded });
  }
  return after;
}

/** Texts that are too long for their rows. */
async function insertPieces(
  { collections: { searchPieces } }: Context,
  { session }: Turn,
  mails: StagedMail[],
  rows: MessageRow[],
): Promise<void> {
  const texts = new Map(mails.map(({ mailId, mail }) => [mailId, mail.content.searchText]));
  for (const { _id: messageId, owner, accountId, mailId, search } of rows) {
    if (search.text !== null) continue;
    const text = texts.get(mailId) ?? '';
    const pieces = piecesOf(
      typeof text === 'string' ? text : Buffer.from(text.buffer, text.byteOffset, text.length).toString(),
    );
    const written = pieces.map((text) => ({ messageId, owner, accountId, text }));
    await searchPieces.insertMany(written, { session });
  }
}
