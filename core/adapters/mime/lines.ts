const LF = 0x0a;
const CR = 0x0d;

/** Of a line that is not complete yet, at most so much waits for its rest; a longer one is handed on in pieces. */
const LONGEST_WAITING = 4096;

/**
 * Where a line, or a piece of an overlong one, stands: content in [start, end) of `buffer`, its ending in [end, next).
 * `continued` marks a piece that does not begin a line, `eightBit` one with octets above 127.
 */
export type LineSink = {
  line(buffer: Buffer, start: number, end: number, next: number, continued: boolean, eightBit: boolean): void;
  /** No more of `buffer` will follow: offsets into it end here. */
  leave(buffer: Buffer): void;
};

/** Cuts a message into lines that end with CRLF or LF, in one pass and the same however the bytes are cut. */
export class MimeLines {
  /** Carriage returns and line feeds that stand alone. */
  bareCr = 0;
  bareLf = 0;
  /** Octets of the longest line, without its ending. */
  longestLine = 0;
  /** Where the current buffer's first octet stands in the message. */
  offset = 0;
  readonly #sink: LineSink;
  #waiting: Buffer = Buffer.alloc(0);
  /** Octets of the current line that were handed on already. */
  #handedOn = 0;

  constructor(sink: LineSink) {
    this.#sink = sink;
  }

  write(piece: Uint8Array): void {
    const bytes = Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength);
    const buffer = this.#waiting.length > 0 ? Buffer.concat([this.#waiting, bytes]) : bytes;
    let start = 0;
    let carriageReturns = 0;
    let octets = 0;
    for (let at = 0; at < buffer.length; at++) {
      const octet = buffer[at] as number;
      if (octet === LF) {
        const crlf = at > start && buffer[at - 1] === CR;
        if (!crlf) this.bareLf += 1;
        this.bareCr += crlf ? carriageReturns - 1 : carriageReturns;
        this.#hand(buffer, start, crlf ? at - 1 : at, at + 1, octets);
        this.#handedOn = 0;
        start = at + 1;
        carriageReturns = 0;
        octets = 0;
        continue;
      }
      if (octet === CR) carriageReturns += 1;
      octets |= octet;
    }
    if (buffer.length - start > LONGEST_WAITING) {
      // A carriage return at the very end may be half of the line's ending.
      const end = buffer[buffer.length - 1] === CR ? buffer.length - 1 : buffer.length;
      this.bareCr += carriageReturns - (buffer.length - end);
      this.#hand(buffer, start, end, end, octets);
      start = end;
    }
    this.#sink.leave(buffer);
    this.#waiting = Buffer.from(buffer.subarray(start));
    this.offset += start;
  }

  end(): void {
    const buffer = this.#waiting;
    if (buffer.length === 0) return;
    for (const octet of buffer) if (octet === CR) this.bareCr += 1;
    this.#hand(buffer, 0, buffer.length, buffer.length, buffer.some((octet) => octet > 0x7f) ? 0x80 : 0);
    this.#sink.leave(buffer);
  }

  #hand(buffer: Buffer, start: number, end: number, next: number, octets: number): void {
    const length = this.#handedOn + end - start;
    if (length > this.longestLine) this.longestLine = length;
    this.#sink.line(buffer, start, end, next, this.#handedOn > 0, octets > 0x7f);
    this.#handedOn = length;
  }
}
