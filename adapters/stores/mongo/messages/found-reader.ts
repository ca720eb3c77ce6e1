import type { AnyBulkWriteOperation } from 'mongodb';
import { readContent } from '#adapters/stores/mongo/bodies/bodies.ts';
import type { Context } from '#adapters/stores/mongo/context.ts';
import { unfilledHint } from '#adapters/stores/mongo/schema/indexes.ts';
import type { MessageRow } from '#adapters/stores/mongo/schema/rows.ts';
import { NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Found } from '#core/messages/content.ts';
import { foundIn } from '#core/messages/mail-record.ts';

/** Maximum contents that are read at a time. */
const atOnce = 50;

/** Row that a version without the fields `code` and `mainLink` wrote. */
type UnfilledRow = Pick<MessageRow, '_id' | 'mailId'>;

/** Reads the codes and links of such rows from their contents. Messages that are gone have none. */
export async function readFound(context: Context, rows: UnfilledRow[]): Promise<Map<Id, Found>> {
  const found = new Map<Id, Found>();
  for (let start = 0; start < rows.length; start += atOnce) {
    const some = rows.slice(start, start + atOnce);
    const notes = await context.bodies.notes(some.map(({ mailId }) => mailId));
    for (const { _id, mailId } of some) {
      const note = notes.get(mailId);
      const content = note && (await readContent(context, mailId, note).catch(ignoreGone));
      found.set(_id, content ? foundIn(content) : { code: null, mainLink: null });
    }
  }
  return found;
}

/**
 * Fills at most `limit` rows. Content never changes, so that it does not matter when it was read. Returns whether there were any.
 */
export async function fillRows(context: Context, limit: number): Promise<boolean> {
  const { messages } = context.collections;
  const rows = await messages
    .find<UnfilledRow>({ code: null }, { hint: unfilledHint, projection: { mailId: 1 } })
    .limit(limit)
    .toArray();
  if (rows.length === 0) return false;
  const found = await readFound(context, rows);
  const writes = [...found].map(([_id, { code, mainLink }]): AnyBulkWriteOperation<MessageRow> => {
    const update = { $set: { code: code ?? '', mainLink } };
    return { updateOne: { filter: { _id, code: null }, update } };
  });
  await messages.bulkWrite(writes, { ordered: false });
  return true;
}

function ignoreGone(error: unknown): null {
  if (error instanceof NotFound) return null;
  throw error;
}
