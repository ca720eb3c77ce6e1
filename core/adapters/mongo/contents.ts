import type { ClientSession } from 'mongodb';
import type { Id } from '#core/ids.ts';
import type { MessageContent } from '#core/messages/content.ts';
import { chunkBytes } from './bucket.ts';
import type { Context } from './context.ts';
import type { ContentRow } from './rows.ts';

type StoredContent = Omit<MessageContent, 'searchText'>;

/**
 * Contents of mails, as JSON: a MIME tree may be nested deeper than BSON allows, and headers may hold half characters.
 * What is longer than a chunk goes into a bucket of its own, for a document ends at 16 MiB.
 */
export function encodeContent({ searchText: _, ...content }: MessageContent): {
  json: string;
  large: boolean;
} {
  const json = JSON.stringify(content);
  return { json, large: json.length > chunkBytes };
}

/** Reads what `encodeContent` wrote. */
function decodeContent(json: string): StoredContent {
  const stored: Omit<StoredContent, 'date'> & { date: string | null } = JSON.parse(json);
  return { ...stored, date: stored.date === null ? null : new Date(stored.date) };
}

/** The contents of these mails, by their ids. */
export async function readContents(context: Context, rows: ContentRow[]): Promise<Map<Id, StoredContent>> {
  const contents = new Map<Id, StoredContent>();
  for (const { _id, json, length } of rows) {
    contents.set(_id, decodeContent(json ?? (await readLarge(context, _id, length))));
  }
  return contents;
}

/** Writes contents, the large ones' rows only: their JSON was uploaded before. */
export async function insertContents(
  { collections: { contents } }: Context,
  session: ClientSession,
  encoded: { id: Id; json: string; large: boolean }[],
): Promise<void> {
  const rows = encoded.map(
    ({ id, json, large }): ContentRow => ({
      _id: id,
      json: large ? null : json,
      length: Buffer.byteLength(json),
    }),
  );
  await contents.insertMany(rows, { session });
}

async function readLarge({ largeContents }: Context, id: Id, length: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of largeContents.read(id, { start: 0, end: length })) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
