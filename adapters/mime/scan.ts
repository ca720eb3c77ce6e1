import { type LimitName, limits } from '#core/limits.ts';
import { type HeaderField, MimeHeader, type MimeType, readMimeType } from './header.ts';

/** A part of the MIME tree, with its encoded body in [start, end) of the message. */
export type ScannedPart = MimeType & { start: number; end: number; children: ScannedPart[] };

/** Receives the encoded body of a leaf during the scan. */
export type LeafSink = { write(bytes: Uint8Array): void; end(): void };

/** Result of a scan. */
export type Scan = {
  fields: HeaderField[];
  /** Limit that the header section reached: the rest was not read. */
  headerLimit: LimitName | null;
  eightBitHeader: boolean;
  root: ScannedPart;
  /** Limit of depth or parts that the tree was cut at. */
  structureLimit: LimitName | null;
  bareCr: number;
  bareLf: number;
  longestLine: number;
  sizeBytes: number;
};

const { partLevels: MAX_DEPTH, parts: MAX_PARTS, headerBytes: MAX_HEADER } = limits.mail;
const maxPartHeader = 16_384;
/** Octets of a delimiter with its padding. RFC 2046 section 5.1.1 allows 70 without padding; some senders write more. */
const longestDelimiter = 1024;

const LF = 0x0a;
const CR = 0x0d;
const endings = { crlf: Buffer.from('\r\n'), lf: Buffer.from('\n') };

/** An open multipart; `hidden` is an outer one with the same boundary. */
type Multipart = { part: ScannedPart; boundary: string; depth: number; hidden: Multipart | undefined };

/**
 * Finds the parts of a message (RFC 2046 section 5.1) in one pass, in linear time and bounded memory for any bytes. A
 * multipart beyond the limits stays one part.
 */
export class MimeScan {
  readonly #lines = new MimeLines(this);
  readonly #open: (part: ScannedPart) => LeafSink;
  readonly #multiparts: Multipart[] = [];
  readonly #byBoundary = new Map<string, Multipart>();
  #header: MimeHeader | null = new MimeHeader(MAX_HEADER);
  #rootHeader = this.#header;
  #root: ScannedPart | null = null;
  #leaf: { part: ScannedPart; sink: LeafSink } | null = null;
  #parts = 1;
  #limit: LimitName | null = null;
  #eightBit = false;
  #size = 0;
  /** End of the last line without its ending: the line ending before a delimiter belongs to the delimiter. */
  #contentEnd = 0;
  /** Content of the leaf in the current buffer that was not passed on yet, and the line ending behind it. */
  #runStart = -1;
  #runEnd = 0;
  #ending: Buffer | null = null;

  /** `open` is called for each leaf with its MIME fields and `start`; `end` is set later. */
  constructor(open: (part: ScannedPart) => LeafSink) {
    this.#open = open;
  }

  write(piece: Uint8Array): void {
    this.#size += piece.length;
    this.#lines.write(piece);
  }

  end(): Scan {
    this.#lines.end();
    if (this.#header !== null) this.#endHeader(this.#size);
    if (this.#leaf !== null && this.#ending !== null) this.#leaf.sink.write(this.#ending);
    this.#contentEnd = this.#size;
    this.#closeTo(0);
    const { bareCr, bareLf, longestLine } = this.#lines;
    return {
      fields: this.#rootHeader?.fields() ?? [],
      headerLimit: this.#rootHeader?.limit ?? null,
      eightBitHeader: this.#eightBit,
      root: this.#root ?? this.#part([], 'text/plain', this.#size),
      structureLimit: this.#limit,
      bareCr,
      bareLf,
      longestLine,
      sizeBytes: this.#size,
    };
  }

  line(
    buffer: Buffer,
    start: number,
    end: number,
    next: number,
    continued: boolean,
    eightBit: boolean,
  ): void {
    if (!continued && this.#byBoundary.size > 0 && this.#delimiter(buffer, start, end, next)) return;
    const offset = this.#lines.offset;
    if (this.#header !== null) {
      if (start === end && !continued) this.#endHeader(offset + next);
      else this.#header.line(buffer, start, end, continued, eightBit);
    } else if (this.#leaf !== null) {
      if (this.#runStart < 0) {
        if (this.#ending !== null) this.#leaf.sink.write(this.#ending);
        this.#runStart = start;
      }
      this.#runEnd = end;
      this.#ending = next === end ? null : next - end === 2 ? endings.crlf : endings.lf;
    }
    this.#contentEnd = offset + end;
  }

  leave(buffer: Buffer): void {
    if (this.#runStart < 0) return;
    if (this.#runEnd > this.#runStart) this.#leaf?.sink.write(buffer.subarray(this.#runStart, this.#runEnd));
    this.#runStart = -1;
  }

  /** Tests for a delimiter of an open multipart, and begins or ends the part that it delimits. */
  #delimiter(buffer: Buffer, start: number, end: number, next: number): boolean {
    if (end - start < 3 || end - start > longestDelimiter) return false;
    if (buffer[start] !== 0x2d || buffer[start + 1] !== 0x2d) return false;
    const text = buffer.toString('latin1', start + 2, end).trimEnd();
    const opening = this.#byBoundary.get(text);
    const multipart = opening ?? (text.endsWith('--') ? this.#byBoundary.get(text.slice(0, -2)) : undefined);
    if (multipart === undefined) return false;
    this.leave(buffer);
    const offset = this.#lines.offset;
    if (this.#header !== null) this.#endHeader(offset + start);
    this.#closeTo(multipart.depth + 1);
    this.#contentEnd = offset + end;
    if (opening === undefined) this.#closeTo(multipart.depth);
    else this.#beginPart(offset + next);
    return true;
  }

  #beginPart(start: number): void {
    this.#parts += 1;
    if (this.#parts < MAX_PARTS) {
      this.#header = new MimeHeader(maxPartHeader);
      return;
    }
    this.#limit = 'mail.parts';
    this.#byBoundary.clear();
    this.#addLeaf(this.#part([], 'application/octet-stream', start));
  }

  /** Ends a header section at a blank line, a delimiter or the end of the message. The body starts at `start`. */
  #endHeader(start: number): void {
    const header = this.#header;
    if (header === null) return;
    this.#header = null;
    this.#eightBit ||= header.eightBit;
    const parent = this.#multiparts.at(-1);
    // Default type within a digest (RFC 2046 section 5.1.5).
    const implied = parent?.part.contentType === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
    const part = this.#part(header.fields(), implied, start);
    if (!part.contentType.startsWith('multipart/') || part.boundary === null) {
      this.#addLeaf(part);
      return;
    }
    const depth = this.#multiparts.length;
    if (depth >= MAX_DEPTH - 1) {
      this.#limit = 'mail.partLevels';
      this.#addLeaf(part);
      return;
    }
    this.#adopt(part);
    const boundary = Buffer.from(part.boundary).toString('latin1').trimEnd();
    const multipart = { part, boundary, depth, hidden: this.#byBoundary.get(boundary) };
    this.#multiparts.push(multipart);
    this.#byBoundary.set(boundary, multipart);
  }

  #part(fields: HeaderField[], implied: string, start: number): ScannedPart {
    return { ...readMimeType(fields, implied), start, end: start, children: [] };
  }

  #addLeaf(part: ScannedPart): void {
    this.#adopt(part);
    this.#ending = null;
    this.#leaf = { part, sink: this.#open(part) };
  }

  #adopt(part: ScannedPart): void {
    this.#root ??= part;
    this.#multiparts.at(-1)?.part.children.push(part);
  }

  /** Ends the current leaf and all multiparts but the outermost `count` at the end of the last line. */
  #closeTo(count: number): void {
    if (this.#leaf !== null) {
      this.#leaf.part.end = Math.max(this.#leaf.part.start, this.#contentEnd);
      this.#leaf.sink.end();
      this.#leaf = null;
    }
    while (this.#multiparts.length > count) {
      const closed = this.#multiparts.pop();
      if (closed === undefined) break;
      closed.part.end = Math.max(closed.part.start, this.#contentEnd);
      if (this.#byBoundary.get(closed.boundary) !== closed) continue;
      if (closed.hidden === undefined) this.#byBoundary.delete(closed.boundary);
      else this.#byBoundary.set(closed.boundary, closed.hidden);
    }
  }
}

/** Octets of an incomplete line that are buffered; a longer line is passed on in pieces. */
const longestWaiting = 4096;

/**
 * Receives lines, or pieces of overlong ones: the content in [start, end) of `buffer`, its ending in [end, next).
 * `continued` marks a piece that does not begin a line, `eightBit` one with octets above 127.
 */
export type LineSink = {
  line(buffer: Buffer, start: number, end: number, next: number, continued: boolean, eightBit: boolean): void;
  /** Marks the end of `buffer`: no later line refers to it. */
  leave(buffer: Buffer): void;
};

/** Splits a message into lines that end with CRLF or LF, in one pass. The result is independent of the pieces written. */
export class MimeLines {
  /** Carriage returns outside a CRLF. */
  bareCr = 0;
  /** Line feeds outside a CRLF. */
  bareLf = 0;
  /** Octets of the longest line, without its ending. */
  longestLine = 0;
  /** Offset of the current buffer in the message. */
  offset = 0;
  readonly #sink: LineSink;
  #waiting: Buffer = Buffer.alloc(0);
  /** Octets of the current line that were passed on already. */
  #passedOn = 0;

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
        this.#pass(buffer, start, crlf ? at - 1 : at, at + 1, octets);
        this.#passedOn = 0;
        start = at + 1;
        carriageReturns = 0;
        octets = 0;
        continue;
      }
      if (octet === CR) carriageReturns += 1;
      octets |= octet;
    }
    if (buffer.length - start > longestWaiting) {
      // A carriage return at the end may belong to a CRLF.
      const end = buffer[buffer.length - 1] === CR ? buffer.length - 1 : buffer.length;
      this.bareCr += carriageReturns - (buffer.length - end);
      this.#pass(buffer, start, end, end, octets);
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
