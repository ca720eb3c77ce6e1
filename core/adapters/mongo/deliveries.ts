import type { DeliveryStore, DeliveryVerdict } from '#core/delivery/delivery.ts';
import { StoreUnavailable } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { createBodyWriter } from './body-writer.ts';
import { chunkBytes } from './bucket.ts';
import { insertContents } from './contents.ts';
import type { Context } from './context.ts';
import { joinThreads } from './conversations.ts';
import { changeCounts } from './counts.ts';
import { createRecipientLookup, readForDelivery } from './delivery-accounts.ts';
import { batchRows, numbersWanted } from './delivery-rows.ts';
import { insertEvents, returnNumbers } from './journal.ts';
import { judgeDeliveries } from './judge-deliveries.ts';
import { piecesOf } from './message-search.ts';
import type { MessageRow } from './rows.ts';
import { type StagedMail, stageMails } from './stage-mails.ts';
import type { Turn } from './transactions.ts';

export function createDeliveries(context: Context): DeliveryStore {
  return {
    lookUp: createRecipientLookup(context),
    writeBody: () => createBodyWriter(context),
    // One transaction at a time: they gather most. What takes long to write before it goes by itself.
    lane: ({ body }) => ('bytes' in body && body.bytes.length <= chunkBytes ? 'all' : null),
    async commitDeliveries(mails, next) {
      if (mails.length === 0) return [];
      const staged = await stageMails(context, mails);
      const numbers = numbersWanted(mails);
      const work = (turn: Turn) => commit(context, turn, staged, numbers);
      const verdicts = await context.takeTurn(numbers.keys(), work, { numbers, over: next });
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

/** Everything of a batch but what was too large, in one transaction: the rows make the bodies messages. */
async function commit(
  context: Context,
  turn: Turn,
  staged: StagedMail[],
  numbers: Map<Id, number>,
): Promise<DeliveryVerdict[]> {
  const { session } = turn;
  const mails = staged.map(({ mail }) => mail);
  const { accounts, tokens } = await readForDelivery(context, session, mails);
  const judgements = judgeDeliveries(mails, accounts);
  const { verdicts, rows, heads } = batchRows(staged, judgements, turn.heads, new Date());
  const taken = staged.filter((_, index) => 'ids' in (verdicts[index] ?? {}));
  if (taken.length === 0) {
    await returnNumbers(context, turn, numbers, heads);
    return verdicts;
  }

  const loose = taken.filter((mail) => mail.loose).map(({ mailId }) => mailId);
  if (loose.length > 0 && !(await context.looseBodies.claim(session, loose))) {
    throw new StoreUnavailable('A body of this batch is gone');
  }
  const small = taken.flatMap(({ mailId: id, small: bytes }) => (bytes === null ? [] : [{ id, bytes }]));
  if (small.length > 0) await context.bodies.insertSmall(session, small);
  await insertContents(
    context,
    session,
    taken.map(({ mailId: id, json, largeContent: large }) => ({ id, json, large })),
  );
  const conversations = await joinThreads(context, session, rows, tokens);
  await context.collections.messages.insertMany(
    rows.map((row) => ({ ...row, conversationId: conversations.get(row._id) ?? null })),
    { session },
  );
  await insertPieces(context, turn, taken, rows);
  await changeCounts(context, session, rows, 1);
  const commits = verdicts.flatMap((verdict) => ('ids' in verdict ? verdict.commits : []));
  await insertEvents(context, turn, commits);
  await returnNumbers(context, turn, numbers, heads);
  return verdicts;
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
    const pieces = piecesOf(texts.get(mailId) ?? '');
    const written = pieces.map((text) => ({ messageId, owner, accountId, text }));
    await searchPieces.insertMany(written, { session });
  }
}
