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
import { translated } from '#core/adapters/stores/mongo/errors.ts';
import { NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';

/** Bytes of one chunk: what GridFS takes by default. */
export const chunkBytes = 255 * 1024;

/** A GridFS bucket whose files have our ids, and may have notes: GridFS calls them metadata. */
export type Bucket<Note extends Document = Document> = {
  /** Writes files of at most one chunk each, within a transaction, in two round trips however many they are. */
  insertSmall(session: ClientSession, files: { id: Id; bytes: Uint8Array; note: Note }[]): Promise<void>;
  /** Begins a file of any size; `write` resolves when more can be taken. */
  upload(id: Id): BucketUpload;
  /** Adds notes to files that are there already. */
  annotate(session: ClientSession, notes: Map<Id, Note>): Promise<void>;
  /** The notes of those of these files that have one. */
  notes(ids: Id[], options?: FindOptions): Promise<Map<Id, Note>>;
  /** The bytes in [start, end), in pieces. Throws NotFound where they are not there. */
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

/** GridFS wants an ObjectId (its tools cannot name other ids): ours in hexadecimal, left-padded. */
const fileId = (id: Id) => ObjectId.createFromHexString(id.toString(16).padStart(24, '0'));
const idOf = (file: ObjectId): Id => Number.parseInt(file.toHexString(), 16);

/** The bucket `name`, whose files any tool for GridFS can read; see the GridFS specification for the layout. */
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
      // Whatever has a note had it from this program.
      return new Map(found.flatMap(({ _id, metadata }) => (metadata ? [[idOf(_id), metadata as Note]] : [])));
    },
    upload(id) {
      const stream = bucket.openUploadStreamWithId(fileId(id), fileName(id));
      // An error that comes between two calls is told at the next one.
      let failure: Error | null = null;
      stream.on('error', (error) => {
        failure ??= error;
      });
      const check = () => {
        if (failure !== null) throw translated(failure);
      };
      return {
        // Resolves when the driver has taken the bytes over: the caller may fill the piece anew then.
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
    // Chunk by chunk, without a cursor: a slow reader holds one chunk, not 16 MiB of them, and may take its time.
    async *read(id, { start, end }) {
      for (let at = start; at < end; ) {
        const n = Math.floor(at / chunkBytes);
        const chunk = await chunks.findOne({ files_id: fileId(id), n }).catch((error) => {
          throw translated(error);
        });
        const offset = n * chunkBytes;
        const wanted = Math.min(end - offset, chunkBytes);
        const bytes = chunk?.data.value() ?? new Uint8Array();
        if (bytes.length < wanted) throw new NotFound('the bytes are gone');
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
