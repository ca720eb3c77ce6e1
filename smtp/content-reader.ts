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

const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;
const lineWithDot = Buffer.from('\r\n.');
const heldCr = Buffer.from('\r');

/** Parser state between two chunks. `dot` withholds the dot at the start of a line, `dot-cr` that dot and a CR. */
type State = 'text' | 'cr' | 'line-start' | 'dot' | 'dot-cr';

/**
 * Reads the content after DATA, in chunks of any size. Removes the leading dot of lines, and ends at a line of one dot (RFC
 * 5321 section 4.5.2). Treats only CRLF as the end of a line: a receiver that ends a message at a lone CR or LF, or removes
 * a dot after one, disagrees with the sender about the end of a message, so that one message can smuggle in another
 * (CVE-2023-51764).
 */
export class DotReader implements ContentReader {
  #state: State = 'line-start';

  /**
   * Returns the content of a chunk, and the index of the first byte after the message's end (null while it has not ended). The
   * content may be a view of the chunk, whose bytes are moved in place. Bytes from `end` on are unchanged.
   */
  read(chunk: Buffer): { content: Buffer; end: number | null } {
    const prefix = this.#state === 'dot-cr' && chunk.length > 0 && chunk[0] !== LF ? heldCr : null;
    let kept = 0;
    let from = 0;
    let at = 0;
    const content = () => {
      const bytes = chunk.subarray(0, kept);
      return prefix ? Buffer.concat([prefix, bytes]) : bytes;
    };
    const keep = (to: number) => {
      if (from !== kept) chunk.copy(chunk, kept, from, to);
      kept += to - from;
    };
    while (at < chunk.length) {
      if (this.#state === 'text') {
        const line = chunk.indexOf(lineWithDot, at);
        if (line === -1) {
          this.#state = stateAtEnd(chunk, at);
          break;
        }
        keep(line + 2);
        at = from = line + 3;
        this.#state = 'dot';
      } else if (this.#state === 'cr' && chunk[at] === LF) {
        this.#state = 'line-start';
        at++;
      } else if (this.#state === 'line-start' && chunk[at] === DOT) {
        keep(at);
        at = from = at + 1;
        this.#state = 'dot';
      } else if (this.#state === 'dot' && chunk[at] === CR) {
        this.#state = 'dot-cr';
        at++;
      } else if (this.#state === 'dot-cr' && chunk[at] === LF) {
        return { content: content(), end: at + 1 };
      } else {
        this.#state = 'text';
      }
    }
    if (this.#state !== 'dot-cr') keep(chunk.length);
    return { content: content(), end: null };
  }
}

/** Returns the state after text from index `from` to the end of the chunk. */
function stateAtEnd(chunk: Buffer, from: number): State {
  const last = chunk.length - 1;
  if (chunk[last] === CR) return 'cr';
  return chunk[last] === LF && last > from && chunk[last - 1] === CR ? 'line-start' : 'text';
}
