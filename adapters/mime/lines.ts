const LF = 0x0a;
const CR = 0x0d;

const nothing = Buffer.alloc(0);

/** Maximum octets of an incomplete line that are buffered. A longer line is passed on in pieces. */
const longestWaiting = 4096;

/**
 * Receives a line, or a piece of an overlong line: its content is [start, end) of `buffer`, its ending [end, next). `continued` marks a
 * piece that does not start a line, `eightBit` a piece with octets above 127.
 */
export type LineSink = {
  line(buffer: Buffer, start: number, end: number, next: number, continued: boolean, eightBit: boolean): void;
  /** Marks the end of `buffer`: later lines no longer refer to this buffer. */
  leave(buffer: Buffer): void;
};

/** Beginning of a message whose lines end with CR: two fields. */
const endsWithCr = /^(?:[!-9;-~]+:[^\r\n]*\r(?!\n)(?:[ \t][^\r\n]*\r(?!\n))*){2}/;

/**
 * Splits a message into lines that end with CRLF or LF, or with CR if its first lines do, in one pass. The result does not depend on the
 * sizes of the pieces written.
 */
export class MimeLines {
  /** Number of carriage returns outside CRLF. */
  bareCr = 0;
  /** Number of line feeds outside CRLF. */
  bareLf = 0;
  /** Octets of the longest line, without its line end. */
  longestLine = 0;
  /** Offset of the current buffer in the message. */
  offset = 0;
  readonly #sink: LineSink;
  #waiting: Buffer = nothing;
  /** Octets of the current line that have already been passed on. */
  #passedOn = 0;
  /** Whether CR ends lines. Null until the first LF or `longestWaiting` octets have arrived. */
  #crEnds: boolean | null = null;

  constructor(sink: LineSink) {
    this.#sink = sink;
  }

  write(piece: Uint8Array): void {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const joined = this.#waiting.length > 0 ? Buffer.concat([this.#waiting, bytes]) : bytes;
    if (this.#crEnds === null && (joined.length > longestWaiting || joined.includes(LF)))
      this.#choose(joined);
    this.#split(joined);
  }

  #choose(start: Buffer): void {
    const first = start.indexOf(LF) + 1 || start.length;
    this.#crEnds = endsWithCr.test(start.toString('latin1', 0, Math.min(first, longestWaiting)));
  }

  #split(buffer: Buffer): void {
    const crEnds = this.#crEnds;
    let start = 0;
    let carriageReturns = 0;
    let octets = 0;
    for (let at = 0; at < buffer.length; at++) {
      const octet = buffer[at] as number;
      if (octet === LF || octet === CR) {
        const cr = octet === CR;
        // The next piece may continue a CRLF.
        if (cr && (!crEnds || at + 1 === buffer.length || buffer[at + 1] === LF)) {
          carriageReturns += 1;
          continue;
        }
        const crlf = !cr && at > start && buffer[at - 1] === CR;
        if (!crlf && !cr) this.bareLf += 1;
        this.bareCr += crlf ? carriageReturns - 1 : carriageReturns + Number(cr);
        this.#pass(buffer, start, crlf ? at - 1 : at, at + 1, octets);
        this.#passedOn = 0;
        start = at + 1;
        carriageReturns = 0;
        octets = 0;
        continue;
      }
      octets |= octet;
    }
    if (buffer.length - start > longestWaiting) {
      // Trailing carriage returns may belong to a CRLF in the next piece.
      const end = buffer[buffer.length - 1] === CR ? buffer.length - 1 : buffer.length;
      this.bareCr += carriageReturns - (buffer.length - end);
      this.#pass(buffer, start, end, end, octets);
      start = end;
    }
    this.#sink.leave(buffer);
    this.#waiting = start === buffer.length ? nothing : Buffer.from(buffer.subarray(start));
    this.offset += start;
  }

  end(): void {
    if (this.#crEnds === null) {
      this.#choose(this.#waiting);
      if (this.#crEnds) this.#split(this.#waiting);
    }
    const buffer = this.#waiting;
    if (buffer.length === 0) return;
    for (const octet of buffer) if (octet === CR) this.bareCr += 1;
    this.#pass(buffer, 0, buffer.length, buffer.length, buffer.some((octet) => octet > 0x7f) ? 0x80 : 0);
    this.#sink.leave(buffer);
  }

  #pass(buffer: Buffer, start: number, end: number, next: number, octets: number): void {
    const length = this.#passedOn + end - start;
    if (length > this.longestLine) this.longestLine = length;
    this.#sink.line(buffer, start, end, next, this.#passedOn > 0, octets > 0x7f);
    this.#passedOn = length;
  }
}
