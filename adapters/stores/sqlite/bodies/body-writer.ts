import type { Later } from '#adapters/stores/sqlite/workers/calls.ts';
import type { BodyWriter } from '#core/delivery/delivery.ts';
import type { Id } from '#core/ids.ts';
import type { RawMessage } from '#core/messages/message.ts';
import { type BodyWrites, pieceBytes } from './bodies.ts';

type Bodies = Later<BodyWrites>;

/**
 * Cuts a body into pieces, and stores each before it takes more bytes. Pieces are filled into the same shared memory, in
 * turn with the thread that stores them: no piece is copied twice or left to the garbage collector.
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
    // A failed beginning left nothing to remove.
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
