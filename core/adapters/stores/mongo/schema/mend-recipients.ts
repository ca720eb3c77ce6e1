import { readContents } from '#core/adapters/stores/mongo/bodies/contents.ts';
import type { Context } from '#core/adapters/stores/mongo/context.ts';
import { recipientsText } from '#core/adapters/stores/mongo/messages/message-rows.ts';
import { joinPieces, piecesOf } from '#core/adapters/stores/mongo/messages/message-search.ts';
import { foldText, peopleLines } from '#core/extraction/search-text.ts';
import type { Id } from '#core/ids.ts';
import type { MessageRow } from './rows.ts';

/** Rows that are looked at together. */
const batch = 200;

type Row = Pick<
  MessageRow,
  '_id' | 'owner' | 'accountId' | 'mailId' | 'envelope' | 'deliveredTo' | 'tag' | 'search'
>;

/**
 * Takes other users' recipients out of the search texts of earlier versions, which had the whole envelope where a mail
 * names nobody in To. Runs once in a database; a start that was broken off goes on behind the last batch.
 */
export async function mendRecipients(context: Context): Promise<void> {
  const { meta } = context.collections;
  const begun = await meta.findOne({ _id: 'recipients' });
  if (begun?.mended === true) return;
  let last: Id | null = begun?.last ?? 0;
  while (last !== null) {
    const rows = await candidatesBehind(context, last);
    await mendRows(context, rows);
    last = rows.at(-1)?._id ?? null;
    const state = last === null ? { mended: true } : { last };
    await meta.updateOne({ _id: 'recipients' }, { $set: state }, { upsert: true });
  }
}

/** Rows of mails with several messages whose shown recipients are those of the envelope: no others can name strangers. */
function candidatesBehind({ collections: { messages } }: Context, last: Id): Promise<Row[]> {
  const projection = { owner: 1, accountId: 1, mailId: 1, envelope: 1, deliveredTo: 1, tag: 1, search: 1 };
  return messages
    .find<Row>(
      {
        _id: { $gt: last },
        $or: [{ siblings: { $exists: false } }, { 'siblings.1': { $exists: true } }],
        $expr: { $eq: ['$toAddresses', '$envelope.rcptTo'] },
      },
      { projection },
    )
    .sort({ _id: 1 })
    .limit(batch)
    .toArray();
}

async function mendRows(context: Context, rows: Row[]): Promise<void> {
  const contents = await readContents(context, [...new Set(rows.map((row) => row.mailId))], {});
  for (const row of rows) {
    const content = contents.get(row.mailId);
    if (content === undefined || content.to.length > 0) continue;
    const named = peopleLines([...content.cc, ...content.bcc]);
    const sender = content.from === null ? [] : peopleLines([content.from]);
    await mendRow(context, row, recipientsText(row, named), [foldText(content.subject), ...sender, ...named]);
  }
}

/** `before` are the lines of the search text that stand before the text. */
function mendRow(
  { client, collections: { messages, searchPieces } }: Context,
  { _id: messageId, owner, accountId, search }: Row,
  to: string,
  before: string[],
): Promise<unknown> {
  return client.withSession((session) =>
    session.withTransaction(async () => {
      await messages.updateOne({ _id: messageId }, { $set: { 'search.to': to } }, { session });
      if (search.text !== null) return;
      const pieces = await searchPieces.find({ messageId }, { session }).sort({ _id: 1 }).toArray();
      const text =
        joinPieces(pieces.map((piece) => piece.text))
          .split('\n')
          .at(-1) ?? '';
      const written = piecesOf([...before, text].join('\n'));
      await searchPieces.deleteMany({ messageId }, { session });
      await searchPieces.insertMany(
        written.map((piece) => ({ messageId, owner, accountId, text: piece })),
        { session },
      );
    }),
  );
}
