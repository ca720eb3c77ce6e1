import type { AnyBulkWriteOperation } from 'mongodb';
import { readContent } from '#adapters/stores/mongo/bodies/bodies.ts';
import type { Context } from '#adapters/stores/mongo/context.ts';
import { unfilledHint } from '#adapters/stores/mongo/schema/indexes.ts';
import type { MessageRow } from '#adapters/stores/mongo/schema/rows.ts';
import { unlessGone } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Found } from '#core/messages/content.ts';
import { fillFor, foundFor } from '#core/messages/mail-record.ts';
import type { Message } from '#core/messages/message.ts';
import { traitLetters } from './trait-letters.ts';

const atOnce = 50;

/** Row written by a version without the fields `code` and `mainLink`. */
type UnfilledRow = Pick<MessageRow, '_id' | 'mailId'>;

/** Reads the codes and links of such rows from their contents. Omits messages that are gone. */
export async function readFound(context: Context, rows: UnfilledRow[]): Promise<Map<Id, Found>> {
  const contents = await readContents(context, rows);
  return new Map(rows.map(({ _id }) => [_id, foundFor(contents.get(_id) ?? null)]));
}

/** Reads messages' contents. Omits messages that are gone. */
async function readContents(context: Context, rows: UnfilledRow[]): Promise<Map<Id, Message['content']>> {
  const contents = new Map<Id, Message['content']>();
  for (let start = 0; start < rows.length; start += atOnce) {
    const some = rows.slice(start, start + atOnce);
    const notes = await context.bodies.notes(some.map(({ mailId }) => mailId));
    for (const { _id, mailId } of some) {
      const note = notes.get(mailId);
      const content = note && (await unlessGone(readContent(context, mailId, note)));
      if (content) contents.set(_id, content);
    }
  }
  return contents;
}

const filledFrom = {
  ...{ mailId: 1, code: 1, copy: 1, deliveredTo: 1, envelope: 1, tags: 1 },
} as const;
type FilledFrom = Pick<MessageRow, '_id' | keyof typeof filledFrom>;

/**
 * Fills up to `limit` rows. Content never changes, so it does not matter when the content was read. A row whose tags have since changed
 * is filled the next time. Returns whether any rows needed filling.
 */
export async function fillRows(context: Context, limit: number): Promise<boolean> {
  const { messages } = context.collections;
  const rows = await messages
    .find<FilledFrom>({ traits: null }, { hint: unfilledHint, projection: filledFrom })
    .limit(limit)
    .toArray();
  if (rows.length === 0) return false;
  const contents = await readContents(context, rows);
  const writes = rows.map((row): AnyBulkWriteOperation<MessageRow> => {
    const { _id } = row;
    const before = row.tags === undefined ? { tags: { $exists: false } } : { tags: row.tags };
    const update = { $set: filledFields(row, contents.get(_id) ?? null) };
    return { updateOne: { filter: { _id, traits: null, ...before }, update } };
  });
  await messages.bulkWrite(writes, { ordered: false });
  return true;
}

function filledFields(row: FilledFrom, content: Message['content'] | null): Partial<MessageRow> {
  const known = { ...row, tags: row.tags ?? null };
  const { code, mainLink, tags, keys, traits } = fillFor(known, content, content?.html != null);
  return {
    ...((row.code ?? null) === null && { code: code ?? '', mainLink }),
    ...(tags.length > 0 && { tags }),
    keys,
    traits: traitLetters(traits),
  };
}
