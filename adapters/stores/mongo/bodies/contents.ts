import type { ClientSession } from 'mongodb';
import type { Context } from '#adapters/stores/mongo/context.ts';
import type { ContentNote } from '#adapters/stores/mongo/schema/rows.ts';
import { portionsOf } from '#adapters/stores/portions.ts';
import type { Id } from '#core/ids.ts';
import { contentOf, type StoredContent, type StoredText } from '#core/messages/mail-record.ts';
import type { Message } from '#core/messages/message.ts';
import { chunkBytes } from './bucket.ts';

/** Parts of a mail that are written in its commit: the note, and the raw bytes unless they were uploaded before (null). */
type WrittenMail = { mailId: Id; note: ContentNote; small: Uint8Array | null };

/**
 * Divides a content into its note, and `large`, which goes into a bucket of its own if the content is too long for a chunk: a
 * document ends at 16 MiB.
 */
export function encodeContent({ json, text, html }: StoredContent): {
  note: ContentNote;
  large: Uint8Array | null;
} {
  const length = json.length + (text?.length ?? 0) + (html?.length ?? 0);
  if (length <= chunkBytes && isPlain(json) && isPlain(text) && isPlain(html)) {
    return { note: { json, text, html }, large: null };
  }
  const parts = { json: toBytes(json), text: text && toBytes(text), html: html && toBytes(html) };
  const lengths = { json: parts.json.length, text: lengthOf(parts.text), html: lengthOf(parts.html) };
  const bytes = Object.values(parts).filter((part) => part instanceof Uint8Array);
  return { note: { lengths }, large: Buffer.concat(bytes) };
}

const isPlain = (part: StoredText | null): part is string | null => !(part instanceof Uint8Array);
const toBytes = (part: StoredText) => (typeof part === 'string' ? new TextEncoder().encode(part) : part);
const lengthOf = (part: StoredText | null): number | null => (part === null ? null : part.length);

/** Returns the content of a mail from its note, and from the bucket of large contents if it is there. */
export async function readContent(
  context: Context,
  mailId: Id,
  note: ContentNote,
): Promise<Message['content']> {
  if (!('lengths' in note)) return contentOf(note);
  const { json, text, html } = note.lengths;
  const end = { text: json + (text ?? 0), html: json + (text ?? 0) + (html ?? 0) };
  const bytes = await readLarge(context, mailId, end.html);
  return contentOf({
    json: bytes.toString('utf8', 0, json),
    text: text === null ? null : bytes.toString('utf8', json, end.text),
    html: html === null ? null : bytes.toString('utf8', end.text, end.html),
  });
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
  for (const some of portionsOf(small, ({ bytes }) => bytes.length)) await bodies.insertSmall(session, some);
  const uploaded = mails.filter((mail) => mail.small === null);
  await bodies.annotate(session, new Map(uploaded.map((mail) => [mail.mailId, mail.note])));
}

async function readLarge({ largeContents }: Context, id: Id, length: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of largeContents.read(id, { start: 0, end: length })) pieces.push(piece);
  return Buffer.concat(pieces);
}
