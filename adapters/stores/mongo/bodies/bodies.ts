import { once } from 'node:events';
import {
  Binary,
  type ClientSession,
  type Db,
  type Document,
  type FindOptions,
  GridFSBucket,
  ObjectId,
} from 'mongodb';
import { portionsOf } from '#adapters/stores/group-commit.ts';
import { translated } from '#adapters/stores/mongo/errors.ts';
import type { ContentNote } from '#adapters/stores/mongo/schema/rows.ts';
import { NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import { contentOf, type StoredContent, type StoredText } from '#core/messages/mail-record.ts';
import type { Message, RawMessage } from '#core/messages/message.ts';

/** Bytes per chunk, the default of GridFS. */
export const chunkBytes = 255 * 1024;

/** GridFS bucket. Its files have ids assigned by this program, and each may have a note, which GridFS calls metadata. */
export type Bucket<Note extends Document = Document> = {
  /** Writes files of at most one chunk each within a transaction. Takes two round trips for any number of files. */
  insertSmall(session: ClientSession, files: { id: Id; bytes: Uint8Array; note: Note }[]): Promise<void>;
  /** Starts a file of any size. `write` resolves when the next piece may be written. */
  upload(id: Id): BucketUpload;
  annotate(session: ClientSession, notes: Map<Id, Note>): Promise<void>;
  /** Returns files' notes by id. Omits files without a note. */
  notes(ids: Id[], options?: FindOptions): Promise<Map<Id, Note>>;
  /** Returns the bytes in [start, end) in pieces. Throws NotFound if some of them are missing. */
  read(id: Id, range: { start: number; end: number }): AsyncIterable<Uint8Array>;
  remove(ids: Id[]): Promise<void>;
};

export type BucketUpload = {
  write(piece: Uint8Array): Promise<void>;
  finish(): Promise<void>;
  abort(): Promise<void>;
};

type FileRow = {
  _id: ObjectId;
  length: number;
  chunkSize: number;
  uploadDate: Date;
  filename: string;
  metadata?: Document;
};

type ChunkRow = { files_id: ObjectId; n: number; data: Binary };

/** Encodes an id as an ObjectId, the only type that GridFS tools can name: in hexadecimal, left-padded with zeros. */
const fileId = (id: Id) => ObjectId.createFromHexString(id.toString(16).padStart(24, '0'));
const idOf = (file: ObjectId): Id => Number.parseInt(file.toHexString(), 16);

/** Opens the bucket `name`. The layout follows the GridFS specification, so any GridFS tool can read its files. */
export function createBucket<Note extends Document>(db: Db, name: string): Bucket<Note> {
  const bucket = new GridFSBucket(db, { bucketName: name, chunkSizeBytes: chunkBytes });
  const files = db.collection<FileRow>(`${name}.files`);
  const chunks = db.collection<ChunkRow>(`${name}.chunks`);
  const fileName = (id: Id) => `${name}-${id}`;
  return {
    async insertSmall(session, small) {
      const filled = small.filter(({ bytes }) => bytes.length > 0);
      const uploadDate = new Date();
      await files.insertMany(
        small.map(({ id, bytes, note }) => ({
          _id: fileId(id),
          length: bytes.length,
          chunkSize: chunkBytes,
          uploadDate,
          filename: fileName(id),
          metadata: note,
        })),
        { session },
      );
      if (filled.length === 0) return;
      await chunks.insertMany(
        filled.map(({ id, bytes }) => ({ files_id: fileId(id), n: 0, data: new Binary(bytes) })),
        { session },
      );
    },
    async annotate(session, notes) {
      if (notes.size === 0) return;
      const writes = [...notes].map(([id, note]) => ({
        updateOne: { filter: { _id: fileId(id) }, update: { $set: { metadata: note } } },
      }));
      await files.bulkWrite(writes, { session });
    },
    async notes(ids, options) {
      const wanted = { _id: { $in: ids.map(fileId) } };
      const found = await files.find(wanted, { ...options, projection: { metadata: 1 } }).toArray();
      // Only this program writes notes.
      return new Map(found.flatMap(({ _id, metadata }) => (metadata ? [[idOf(_id), metadata as Note]] : [])));
    },
    upload(id) {
      const stream = bucket.openUploadStreamWithId(fileId(id), fileName(id));
      // Errors between two calls are thrown by the next call.
      let failure: Error | null = null;
      stream.on('error', (error) => {
        failure ??= error;
      });
      const check = () => {
        if (failure !== null) throw translated(failure);
      };
      return {
        // Resolves when the driver has accepted the bytes. The caller may then refill the buffer.
        async write(piece) {
          check();
          await new Promise<void>((resolve) => stream.write(piece, () => resolve()));
          check();
        },
        async finish() {
          check();
          const finished = once(stream, 'finish');
          stream.end();
          await finished.catch(check);
        },
        async abort() {
          if (!stream.writableEnded && !stream.destroyed) await stream.abort();
        },
      };
    },
    // Reads chunk by chunk without a cursor. A slow reader then uses the memory of one chunk instead of 16 MiB, and no cursor times out.
    async *read(id, { start, end }) {
      for (let at = start; at < end; ) {
        const n = Math.floor(at / chunkBytes);
        const chunk = await chunks.findOne({ files_id: fileId(id), n }).catch((error) => {
          throw translated(error);
        });
        const offset = n * chunkBytes;
        const wanted = Math.min(end - offset, chunkBytes);
        const bytes = chunk?.data.value() ?? new Uint8Array();
        if (bytes.length < wanted) throw new NotFound('The file no longer exists');
        yield bytes.subarray(at - offset, wanted);
        at = offset + chunkBytes;
      }
    },
    async remove(ids) {
      if (ids.length === 0) return;
      const gone = ids.map(fileId);
      await files.deleteMany({ _id: { $in: gone } });
      await chunks.deleteMany({ files_id: { $in: gone } });
    },
  };
}

/** Parts of an email that its commit writes: the note, and the raw bytes, or null if the bytes are already uploaded. */
type WrittenMail = { mailId: Id; note: ContentNote; small: Uint8Array | null };

/**
 * Divides a content into its note and `large`, which goes into a separate bucket if the content is too long for a chunk: a document can
 * have up to 16 MiB.
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

/** Returns an email's content from its note, or from the bucket of large contents if it is stored there. */
export async function readContent(
  { largeContents }: { largeContents: Bucket },
  mailId: Id,
  note: ContentNote,
): Promise<Message['content']> {
  if (!('lengths' in note)) return contentOf(note);
  const { json, text, html } = note.lengths;
  const end = { text: json + (text ?? 0), html: json + (text ?? 0) + (html ?? 0) };
  const bytes = await readLarge(largeContents, mailId, end.html);
  return contentOf({
    json: bytes.toString('utf8', 0, json),
    text: text === null ? null : bytes.toString('utf8', json, end.text),
    html: html === null ? null : bytes.toString('utf8', end.text, end.html),
  });
}

/** Writes the bodies of emails with their notes. If a body is already uploaded, writes only its note. */
export async function insertBodies(
  bodies: Bucket<ContentNote>,
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

async function readLarge(largeContents: Bucket, id: Id, length: number): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(largeContents.read(id, { start: 0, end: length })));
}

/** Returns an email's bytes, which are read when `open` is called. */
export function rawBody(bodies: Bucket, mailId: Id, sizeBytes: number): RawMessage {
  return {
    sizeBytes,
    open: ({ start, end } = { start: 0, end: sizeBytes }) =>
      bodies.read(mailId, { start, end: Math.min(end, sizeBytes) }),
  };
}
