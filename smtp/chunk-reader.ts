/** Finds the end of a message's content, or of a part of it, in chunks of any size. */
export type ContentReader = {
  /**
   * Returns the content of a chunk, and the index of the first byte after its end (null while it has not ended). The content
   * may be a view of the chunk.
   */
  read(chunk: Buffer): { content: Buffer; end: number | null };
};

/** Reads a number of octets after BDAT, whatever they are (RFC 3030 section 2). */
export class ChunkReader implements ContentReader {
  #left: number;

  constructor(octets: number) {
    this.#left = octets;
  }

  read(chunk: Buffer): { content: Buffer; end: number | null } {
    const content = chunk.subarray(0, this.#left);
    this.#left -= content.length;
    return { content, end: this.#left === 0 ? content.length : null };
  }
}
