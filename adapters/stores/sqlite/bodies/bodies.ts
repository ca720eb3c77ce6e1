import type { DatabaseSync } from 'node:sqlite';
import type { Async } from '#adapters/stores/rows/steps.ts';
import { toCoreError } from '#adapters/stores/sqlite/workers/calls.ts';
import { query } from '#adapters/stores/sqlite/workers/query.ts';
import type { BodyWriter } from '#core/delivery/delivery.ts';
import { NotFound } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { RawMessage } from '#core/messages/message.ts';

/** Bytes of each piece of a body except the last. */
export const pieceBytes = 262_144;

/** Maximum pieces of a body. A piece's row id is calculated, so it needs no index. */
const mostPieces = 16_384;

const rowOf = (bodyId: Id, piece: number) => bodyId * mostPieces + piece;

/** Reads bodies lazily, one piece at a time. A slow reader uses little memory and does not block the store. */
export function bodyReads(db: DatabaseSync): (bodyId: Id, sizeBytes: number) => RawMessage {
  const piece = query<{ bytes: Uint8Array }>(db, 'SELECT bytes FROM body_piece WHERE id = :id');
  const read = (bodyId: Id, index: number): Uint8Array => {
    const row = (() => {
      try {
        return piece.get({ id: rowOf(bodyId, index) });
      } catch (error) {
        throw toCoreError(error);
      }
    })();
    if (row === undefined) throw new NotFound();
    return row.bytes;
  };
  return (bodyId, sizeBytes) => ({
    sizeBytes,
    async *open({ start, end } = { start: 0, end: sizeBytes }) {
      const last = Math.min(end, sizeBytes);
      for (let at = start; at < last; ) {
        const index = Math.floor(at / pieceBytes);
        const offset = index * pieceBytes;
        const bytes = read(bodyId, index);
        yield bytes.subarray(at - offset, last - offset);
        at = offset + pieceBytes;
      }
    },
  });
}

export type BodyWrites = {
  begin(): Id;
  append(bodyId: Id, piece: number, bytes: Uint8Array): void;
  /** Removes a body without messages. */
  discard(bodyId: Id): void;
};

export function bodyWrites(db: DatabaseSync): BodyWrites {
  const rows = bodyRows(db);
  return {
    begin: () => rows.insert(0, 0),
    append: rows.insertPiece,
    discard(bodyId) {
      if (rows.isOrphan(bodyId)) rows.remove(bodyId);
    },
  };
}

export type BodyRows = {
  insert(sizeBytes: number, messages: number): Id;
  insertPiece(bodyId: Id, piece: number, bytes: Uint8Array): void;
  isOrphan(bodyId: Id): boolean;
  /** Assigns a started body to an email's messages. Returns false if the body is gone or already has messages. */
  claim(bodyId: Id, sizeBytes: number, messages: number): boolean;
  /** Subtracts one message from a body's count. Removes the body with its last message. */
  release(bodyId: Id): void;
  remove(bodyId: Id): void;
};

/** Reads and writes the rows of bodies in the caller's transaction. */
export function bodyRows(db: DatabaseSync): BodyRows {
  const insert = query(
    db,
    'INSERT INTO body (size_bytes, messages, begun_at) VALUES (:size, :messages, :at)',
  );
  const insertPiece = query(db, 'INSERT INTO body_piece (id, bytes) VALUES (:id, :bytes)');
  const orphan = query(db, 'SELECT id FROM body WHERE id = :body AND messages = 0');
  const claim = query(
    db,
    'UPDATE body SET size_bytes = :size, messages = :messages WHERE id = :body AND messages = 0',
  );
  const release = query<{ messages: number }>(
    db,
    'UPDATE body SET messages = messages - 1 WHERE id = :body RETURNING messages',
  );
  const removals = [
    'DELETE FROM body WHERE id = :body',
    'DELETE FROM content WHERE body_id = :body',
    'DELETE FROM search WHERE body_id = :body',
  ].map((sql) => query(db, sql));
  const removePieces = query(db, 'DELETE FROM body_piece WHERE id >= :first AND id < :end');
  const remove = (body: Id) => {
    for (const removal of removals) removal.run({ body });
    removePieces.run({ first: rowOf(body, 0), end: rowOf(body + 1, 0) });
  };
  return {
    insert: (size, messages) => insert.run({ size, messages, at: Date.now() }).id,
    insertPiece(body, piece, bytes) {
      insertPiece.run({ id: rowOf(body, piece), bytes });
    },
    isOrphan: (body) => orphan.get({ body }) !== undefined,
    claim: (body, size, messages) => claim.run({ body, size, messages }).changes === 1,
    release(body) {
      if (release.get({ body })?.messages === 0) remove(body);
    },
    remove,
  };
}

type Bodies = Async<BodyWrites>;

/**
 * Splits a body into pieces, and stores each piece before it accepts more bytes. Two threads use the same shared memory in turn: the
 * writer fills it, and the store's thread stores the piece. No piece is copied twice or left to the garbage collector.
 */
export class PieceWriter implements BodyWriter {
  readonly #bodies: Bodies;
  readonly #read: (bodyId: Id, sizeBytes: number) => RawMessage;
  readonly #piece = new Uint8Array(new SharedArrayBuffer(pieceBytes));
  #bodyId: Promise<Id> | null = null;
  #gathered = 0;
  #pieces = 0;
  #sizeBytes = 0;

  constructor(bodies: Bodies, read: (bodyId: Id, sizeBytes: number) => RawMessage) {
    this.#bodies = bodies;
    this.#read = read;
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + pieceBytes - this.#gathered);
      this.#piece.set(part, this.#gathered);
      this.#gathered += part.length;
      at += part.length;
      if (this.#gathered === pieceBytes) await this.#flush();
    }
  }

  async finish(): Promise<{ bodyId: Id; raw: RawMessage }> {
    if (this.#gathered > 0) await this.#flush();
    const bodyId = await this.#begun();
    return { bodyId, raw: this.#read(bodyId, this.#sizeBytes) };
  }

  async discard(): Promise<void> {
    this.#gathered = 0;
    // If the start failed, there is nothing to remove.
    const bodyId = await this.#bodyId?.catch(() => null);
    if (bodyId) await this.#bodies.discard(bodyId);
  }

  #begun(): Promise<Id> {
    this.#bodyId ??= this.#bodies.begin();
    return this.#bodyId;
  }

  async #flush(): Promise<void> {
    const bytes = this.#piece.subarray(0, this.#gathered);
    const piece = this.#pieces;
    this.#pieces += 1;
    this.#sizeBytes += bytes.length;
    await this.#bodies.append(await this.#begun(), piece, bytes);
    this.#gathered = 0;
  }
}
