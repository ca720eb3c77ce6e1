const CR = 0x0d;
const LF = 0x0a;
const DOT = 0x2e;
const lineWithDot = Buffer.from('\r\n.');
const heldCr = Buffer.from('\r');

/** Where the reader stands between two chunks; the dot of `dot` and `dot-cr`, and the CR of the latter, are held back. */
type State = 'text' | 'cr' | 'line-start' | 'dot' | 'dot-cr';

/**
 * Reads what follows DATA, in chunks of any size: takes the dot off the lines that begin with one, and ends at a line
 * of a dot alone (RFC 5321 section 4.5.2). Only CRLF makes a line: whoever ends at, or unstuffs after, a lone CR or LF
 * disagrees with the sender about where a message ends, and lets one message smuggle in another (CVE-2023-51764).
 */
export class DotReader {
  #state: State = 'line-start';

  /**
   * The content of a chunk, and where in the chunk the bytes after the end begin (null: it has not ended).
   * The content is a view of the chunk, whose bytes it moves; from `end` on they are as they were.
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

/** The state after text that began at `from` and runs to the end of the chunk. */
function stateAtEnd(chunk: Buffer, from: number): State {
  const last = chunk.length - 1;
  if (chunk[last] === CR) return 'cr';
  return chunk[last] === LF && last > from && chunk[last - 1] === CR ? 'line-start' : 'text';
}
