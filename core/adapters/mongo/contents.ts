import type { ClientSession, FindOptions } from 'mongodb';
import type { Id } from '#core/ids.ts';
import type { MessageContent } from '#core/messages/content.ts';
import { chunkBytes } from './bucket.ts';
import type { Context } from './context.ts';
import type { StagedMail } from './stage-mails.ts';

type StoredContent = Omit<MessageContent, 'searchText'>;

/**
 * The content of a mail as JSON of so many bytes, beside its raw body: one write takes both. Null where it stands in the
 * bucket `largeContents`, being too long.
 */
export type ContentNote = { json: string | null; length: number };

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

/** The content of a mail whose note was read. */
export async function readContent(context: Context, mailId: Id, note: ContentNote): Promise<StoredContent> {
  return decodeContent(note.json ?? (await readLarge(context, mailId, note.length)));
}

/** The contents of these mails, by their ids. */
export async function readContents(
  context: Context,
  mailIds: Id[],
  options: FindOptions,
): Promise<Map<Id, StoredContent>> {
  const contents = new Map<Id, StoredContent>();
  for (const [id, note] of await context.bodies.notes(mailIds, options)) {
    contents.set(id, await readContent(context, id, note));
  }
  return contents;
}

/** Writes the bodies and contents of mails, but for those that were uploaded before. */
export async function insertBodies(
  { bodies }: Context,
  session: ClientSession,
  mails: StagedMail[],
): Promise<void> {
  const small = mails.flatMap(({ mailId: id, small: bytes, ...mail }) =>
    bytes === null ? [] : [{ id, bytes, note: noteOf(mail) }],
  );
  if (small.length > 0) await bodies.insertSmall(session, small);
  const uploaded = mails.filter((mail) => mail.small === null);
  await bodies.annotate(session, new Map(uploaded.map((mail) => [mail.mailId, noteOf(mail)])));
}

function noteOf({ json, largeContent }: Pick<StagedMail, 'json' | 'largeContent'>): ContentNote {
  return { json: largeContent ? null : json, length: Buffer.byteLength(json) };
}

async function readLarge({ largeContents }: Context, id: Id, length: number): Promise<string> {
  const pieces: Uint8Array[] = [];
  for await (const piece of largeContents.read(id, { start: 0, end: length })) pieces.push(piece);
  return Buffer.concat(pieces).toString();
}
