import type { AuditFacts, MimeFaultKind } from '#core/audit/facts.ts';
import { type LimitName, limits } from '#core/limits.ts';
import { type HeaderField, MimeHeader, type MimeType, readMimeType } from './header.ts';
import { MimeLines } from './lines.ts';

/** Part of the MIME tree, with its encoded body in [start, end) of the message. */
export type ScannedPart = MimeType & { start: number; end: number; children: ScannedPart[] };

/** Receives a leaf's encoded body during the scan. */
export type LeafSink = { write(bytes: Uint8Array): void; end(): void };

/** Chooses the sinks for a message. Each part has its MIME fields and its `start`; its `end` is set later. */
export type Sinks = {
  /** Returns the sink of a leaf within these multiparts, listed from the outermost. */
  leaf(part: ScannedPart, outer: ScannedPart[]): LeafSink;
  /** Returns the sink for a multipart's text before its first delimiter. `end` is called only if the multipart has no parts. */
  source(multipart: ScannedPart): LeafSink;
};

/** Scan result. */
type Scan = {
  fields: HeaderField[];
  root: ScannedPart;
  facts: Pick<
    AuditFacts,
    | 'headerLimit'
    | 'eightBitHeader'
    | 'structureLimit'
    | 'faults'
    | 'bareCr'
    | 'bareLf'
    | 'longestLine'
    | 'sizeBytes'
  >;
};

const { partLevels: MAX_DEPTH, parts: MAX_PARTS, headerBytes: MAX_HEADER } = limits.mail;
const maxPartHeader = 16_384;
/** Maximum octets in a header section of lines that are not fields and may be the start of the body. */
const maxStray = 65_536;
/** Maximum octets of a delimiter with its padding. RFC 2046 section 5.1.1 allows 70 without padding; some senders write more. */
const longestDelimiter = 1024;

const crlf = Buffer.from('\r\n');
const lf = Buffer.from('\n');
const cr = Buffer.from('\r');
const CR = 0x0d;

/** Open multipart; `hidden` is an outer multipart with the same boundary. */
type Multipart = {
  part: ScannedPart;
  boundary: string;
  depth: number;
  closed: boolean;
  hidden: Multipart | undefined;
};

/**
 * Finds a message's parts (RFC 2046 section 5.1) in one pass, in linear time and bounded memory for any bytes. A multipart beyond the
 * limits remains a single part.
 */
export class MimeScan {
  readonly #lines = new MimeLines(this);
  readonly #sinks: Sinks;
  readonly #faults = new Map<MimeFaultKind, string>();
  readonly #multiparts: Multipart[] = [];
  readonly #byBoundary = new Map<string, Multipart>();
  #header: MimeHeader | null = new MimeHeader(MAX_HEADER);
  #rootHeader = this.#header;
  /** Lines at the end of a header section that are not fields: the start of the body, if the blank line before it is missing. */
  #stray: { start: number; bytes: number; lines: Buffer[] } | null = null;
  #root: ScannedPart | null = null;
  #leaf: { part: ScannedPart; sink: LeafSink } | null = null;
  #parts = 1;
  #limit: LimitName | null = null;
  #eightBit = false;
  #size = 0;
  /** End of the last line without its line end: the line end before a delimiter belongs to the delimiter. */
  #contentEnd = 0;
  /** Content of the leaf in the current buffer that has not been passed on yet, and the line end that follows it. */
  #runStart = -1;
  #runEnd = 0;
  #ending: Buffer | null = null;

  constructor(sinks: Sinks) {
    this.#sinks = sinks;
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
      root: this.#root ?? this.#part([], 'text/plain', this.#size),
      facts: {
        headerLimit: this.#rootHeader?.limit ?? null,
        eightBitHeader: this.#eightBit,
        structureLimit: this.#limit,
        faults: this.#faults,
        bareCr,
        bareLf,
        longestLine,
        sizeBytes: this.#size,
      },
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
      const isBlank = start === end && !continued;
      if (!isBlank && this.#header.line(buffer, start, end, continued, eightBit)) this.#stray = null;
      else if (!isBlank || this.#stray !== null) this.#keepStray(buffer, start, next);
      if (isBlank || (this.#stray !== null && this.#stray.bytes > maxStray)) this.#endHeader(offset + next);
    } else if (this.#leaf !== null) {
      if (this.#runStart < 0) {
        if (this.#ending !== null) this.#leaf.sink.write(this.#ending);
        this.#runStart = start;
      }
      this.#runEnd = end;
      this.#ending = next === end ? null : next - end === 2 ? crlf : buffer[end] === CR ? cr : lf;
    }
    this.#contentEnd = offset + end;
  }

  leave(buffer: Buffer): void {
    if (this.#runStart < 0) return;
    if (this.#runEnd > this.#runStart) this.#leaf?.sink.write(buffer.subarray(this.#runStart, this.#runEnd));
    this.#runStart = -1;
  }

  /** Checks for a delimiter of an open multipart, and starts or ends the part that it delimits. */
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
    // Text before the first part is for readers that do not support MIME (RFC 2046 section 5.1.1).
    if (opening !== undefined && this.#leaf?.part === multipart.part) this.#leaf = null;
    else if (opening === undefined) multipart.closed = true;
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

  /** Ends a header section at a blank line, a delimiter or the message's end. The body starts at `start`. */
  #endHeader(start: number): void {
    const header = this.#header;
    if (header === null) return;
    this.#header = null;
    const stray = this.#stray;
    this.#stray = null;
    this.#eightBit ||= header.eightBit;
    const parent = this.#multiparts.at(-1);
    // Default type within a digest (RFC 2046 section 5.1.5).
    const implied = parent?.part.contentType === 'multipart/digest' ? 'message/rfc822' : 'text/plain';
    this.#openPart(this.#part(header.fields(), implied, stray?.start ?? start));
    if (stray !== null) this.#passStray(Buffer.concat(stray.lines));
  }

  #keepStray(buffer: Buffer, start: number, next: number): void {
    this.#stray ??= { start: this.#lines.offset + start, bytes: 0, lines: [] };
    this.#stray.lines.push(Buffer.from(buffer.subarray(start, next)));
    this.#stray.bytes += next - start;
  }

  /** Passes on lines that were mistaken for part of the header section. The last line's end may belong to a delimiter. */
  #passStray(lines: Buffer): void {
    this.#fault('no-blank-line', '');
    const last = lines.toString('latin1', lines.length - 2);
    this.#ending = last === '\r\n' ? crlf : last.endsWith('\n') ? lf : null;
    this.#leaf?.sink.write(lines.subarray(0, lines.length - (this.#ending?.length ?? 0)));
  }

  #openPart(part: ScannedPart): void {
    if (part.unknownEncoding !== null) this.#fault('unknown-encoding', part.unknownEncoding);
    if (!part.contentType.startsWith('multipart/')) {
      this.#addLeaf(part);
      return;
    }
    if (part.boundary === null) {
      this.#fault('no-boundary', part.contentType);
      this.#adopt(part);
      this.#addSource(part);
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
    const multipart = { part, boundary, depth, closed: false, hidden: this.#byBoundary.get(boundary) };
    this.#multiparts.push(multipart);
    this.#byBoundary.set(boundary, multipart);
    this.#addSource(part);
  }

  #fault(kind: MimeFaultKind, example: string): void {
    if (!this.#faults.has(kind)) this.#faults.set(kind, example);
  }

  #part(fields: HeaderField[], implied: string, start: number): ScannedPart {
    return { ...readMimeType(fields, implied), start, end: start, children: [] };
  }

  #addLeaf(part: ScannedPart): void {
    this.#adopt(part);
    this.#ending = null;
    const outer = this.#multiparts.map((multipart) => multipart.part);
    this.#leaf = { part, sink: this.#sinks.leaf(part, outer) };
  }

  #addSource(part: ScannedPart): void {
    this.#ending = null;
    this.#leaf = { part, sink: this.#sinks.source(part) };
  }

  #adopt(part: ScannedPart): void {
    this.#root ??= part;
    this.#multiparts.at(-1)?.part.children.push(part);
  }

  /** Ends the current leaf and all but the outermost `count` multiparts at the end of the last line. */
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
      this.#judge(closed);
      if (this.#byBoundary.get(closed.boundary) !== closed) continue;
      if (closed.hidden === undefined) this.#byBoundary.delete(closed.boundary);
      else this.#byBoundary.set(closed.boundary, closed.hidden);
    }
  }

  /** Records what a multipart lacks at its end, unless the part limit is reached: the scan then no longer searches for delimiters. */
  #judge({ part, boundary, closed }: Multipart): void {
    if (this.#limit === 'mail.parts') return;
    if (part.children.length === 0) this.#fault(closed ? 'no-part' : 'no-delimiter', boundary);
    else if (!closed) this.#fault('not-closed', boundary);
  }
}
