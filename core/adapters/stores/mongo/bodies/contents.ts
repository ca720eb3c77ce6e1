import type { ClientSession } from 'mongodb';
import type { Context } from '#core/adapters/stores/mongo/context.ts';
import type { ContentNote } from '#core/adapters/stores/mongo/schema/rows.ts';
import type { Id } from '#core/ids.ts';
import { boundTexts } from '#core/messages/bounds.ts';
import type { MessageContent } from '#core/messages/content.ts';
import { chunkBytes } from './bucket.ts';

type StoredContent = Omit<MessageContent, 'searchText'>;

/** Parts of a mail that are written in its commit: the note, and the raw bytes unless they were uploaded before (null). */
type WrittenMail = { mailId: Id; note: ContentNote; small: Uint8Array | null };

/**
 * Encodes the content of a mail as JSON, with the texts as messages show them. JSON takes what BSON refuses: a MIME tree of
 * any depth, and headers with unpaired surrogates. Returns content that is too long for a chunk as `large`: it goes into a
 * bucket of its own, because a document ends at 16 MiB.
 */
export function encodeContent(whole: MessageContent): { note: ContentNote; large: Uint8Array | null } {
  const { searchText: _, ...content } = { ...whole, ...boundTexts(whole) };
  const { text, html } = content;
  if ((text?.length ?? 0) + (html?.length ?? 0) <= chunkBytes / 2) {
    const json = JSON.stringify(content);
    const length = Buffer.byteLength(json);
    const large = json.length > chunkBytes;
    return { note: { json: large ? null : json, length }, large: large ? Buffer.from(json) : null };
  }
  const json = Buffer.from(JSON.stringify({ ...content, text: null, html: null }));
  const parts = {
    text: text === null ? null : Buffer.from(text),
    html: html === null ? null : Buffer.from(html),
  };
  const texts = { text: parts.text?.length ?? null, html: parts.html?.length ?? null };
  return {
    note: { json: null, length: json.length, texts },
    large: Buffer.concat([json, parts.text ?? Buffer.of(), parts.html ?? Buffer.of()]),
  };
}

/** Returns the content of a mail from its note, and from the bucket of large contents if it is there. */
export async function readContent(context: Context, mailId: Id, note: ContentNote): Promise<StoredContent> {
  if (note.json !== null) return decodeContent(note.json);
  const { length, texts = { text: null, html: null } } = note;
  const end = { text: length + (texts.text ?? 0), html: length + (texts.text ?? 0) + (texts.html ?? 0) };
  const bytes = await readLarge(context, mailId, end.html);
  const content = decodeContent(bytes.toString('utf8', 0, length));
  if (texts.text !== null) content.text = bytes.toString('utf8', length, end.text);
  if (texts.html !== null) content.html = bytes.toString('utf8', end.text, end.html);
  return content;
}

function decodeContent(json: string): StoredContent {
  const stored: Omit<StoredContent, 'date'> & { date: string | null } = JSON.parse(json);
  return { ...stored, date: stored.date === null ? null : new Date(stored.date) };
}

/** Writes the bodies of mails with their notes. Bodies that were uploaded before get their notes only. */
export async function insertBodies(
  { bodies }: Context,
  session: ClientSession,
  mails: WrittenMail[],
): Promise<void> {
  const small = mails.flatMap(({ mailId: id, small: bytes, note }) =>
    bytes === null ? [] : [{ id, bytes, note }],
  );
  if (small.length > 0) await bodies.insertSmall(session, small);
  const uploaded = mails.filter((mail) => mail.small === null);
  await bodies.annotate(session, new Map(uploaded.map((mail) => [mail.mailId, mail.note])));
}

async function readLarge({ largeContents }: Context, id: Id, length: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of largeContents.read(id, { start: 0, end: length })) pieces.push(piece);
  return Buffer.concat(pieces);
}
