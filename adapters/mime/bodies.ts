import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import libmime from 'libmime';
import type { MimeFaultKind } from '#core/audit/facts.ts';
import { type BodyDecoder, bodyDecoder } from '#core/messages/attachment-body.ts';
import { hasWords, readBrokenBase64 } from './base64-text.ts';
import { type CharacterDecoder, charsetOf, decodeOctets, decoderOf, isWide } from './charset.ts';
import type { LeafSink, ScannedPart } from './scan.ts';

/** Maximum characters of flowed text that is unwrapped, because unwrapping creates an object per line. Longer text keeps its lines. */
const maxFlowed = 1_048_576;
/** Maximum bytes buffered to detect the charset. Longer text is decoded as it arrives. */
const maxWaiting = 262_144;

const CR = 0x0d;
const LF = 0x0a;
const replacement = '\ufffd';
const noOctets = new Uint8Array();

/** Buffered octets, up to `maxWaiting`. */
class Waiting {
  bytes = 0;
  #pieces: Uint8Array[] = [];

  get full(): boolean {
    return this.bytes > maxWaiting;
  }

  add(bytes: Uint8Array): void {
    this.#pieces.push(bytes);
    this.bytes += bytes.length;
  }

  /** Returns the octets in a buffer that the caller may change. */
  take(): Buffer {
    const [first] = this.#pieces;
    const isWhole = first instanceof Buffer && this.#pieces.length === 1;
    const bytes = isWhole ? first : Buffer.concat(this.#pieces);
    this.#pieces = [];
    return bytes;
  }
}

/** Collects a text body. After the end, `text()` returns the body decoded and unwrapped (RFC 3676), with LF line ends. */
export class TextBody implements LeafSink {
  /** Faults of the body, with an example of each. Complete after `text()`. */
  readonly faults = new Map<MimeFaultKind, string>();
  readonly #part: ScannedPart;
  /** Null if the octets are not encoded. */
  readonly #body: BodyDecoder | null;
  /** Encoded octets, while the text is short enough to read line by line if it proves not to be base64. Null for other encodings. */
  #encoded: Waiting | null;
  readonly #waiting = new Waiting();
  #encoding = '';
  #characters: CharacterDecoder | null = null;
  #texts: string[] = [];
  #afterCr = false;
  /** Last decoded octets: a piece may end with the first two octets of U+FFFD. */
  #behind: Uint8Array = noOctets;

  constructor(part: ScannedPart) {
    this.#part = part;
    this.#body = part.encoding === 'identity' ? null : bodyDecoder(part.encoding);
    this.#encoded = part.encoding === 'base64' ? new Waiting() : null;
  }

  write(bytes: Uint8Array): void {
    let octets = bytes;
    if (this.#encoded !== null) {
      this.#encoded.add(Buffer.from(bytes));
      if (!this.#encoded.full) return;
      octets = this.#encoded.take();
      this.#encoded = null;
    }
    this.#add(this.#body?.push(octets) ?? octets);
  }

  end(): void {
    const body = this.#body;
    if (body === null) return;
    if (this.#encoded === null) this.#add(body.end());
    else this.#add(this.#readBase64(body, this.#encoded.take()));
    const fault = damageFault(body, this.#part);
    if (fault !== null && !this.faults.has('not-base64')) this.faults.set(fault, '');
  }

  text(): string {
    if (this.#characters === null) this.#choose(true);
    else this.#decode(undefined);
    const text = this.#texts.join('');
    this.#texts = [];
    if (isWide(this.#encoding)) return text.replaceAll('\r\n', '\n');
    if (!this.#part.flowed || this.#part.contentType !== 'text/plain') return text;
    return text.length > maxFlowed ? text : libmime.decodeFlowed(text, this.#part.delSp);
  }

  #readBase64(body: BodyDecoder, encoded: Buffer): Uint8Array {
    const decoded = body.push(encoded);
    if (body.damage() !== 'foreign' && !hasWords(encoded)) return decoded;
    this.faults.set('not-base64', '');
    return readBrokenBase64(encoded);
  }

  #add(decoded: Uint8Array): void {
    if (decoded.length === 0) return;
    if (this.#characters !== null) {
      this.#decode(decoded);
      return;
    }
    // Copies octets unchanged because the scan reuses its buffer.
    this.#waiting.add(this.#body === null ? Buffer.from(decoded) : decoded);
    if (this.#waiting.full) this.#choose(false);
  }

  /** Chooses the encoding from the received octets, and decodes them. */
  #choose(whole: boolean): void {
    const waiting = this.#waiting.take();
    const isHtml = this.#part.contentType === 'text/html';
    // The buffered bytes may end within a character.
    const end = whole ? waiting.length : waiting.lastIndexOf(LF) + 1 || waiting.length - 4;
    const { encoding, fault } = charsetOf(waiting.subarray(0, end), this.#part.charset, isHtml);
    this.#encoding = encoding;
    if (fault !== null) this.faults.set(fault, this.#part.charset ?? '');
    if (!whole) {
      this.#characters = decoderOf(encoding);
      this.#decode(waiting);
      return;
    }
    const bytes = isWide(encoding) ? waiting : this.#withLf(waiting, waiting);
    this.#texts.push(this.#checked(decodeOctets(bytes, encoding), bytes));
  }

  #decode(decoded: Uint8Array | undefined): void {
    if (this.#characters === null) return;
    const bytes = decoded === undefined || isWide(this.#encoding) ? decoded : this.#withLf(decoded);
    const text = this.#characters.decode(bytes, { stream: decoded !== undefined });
    this.#texts.push(this.#checked(text, bytes ?? noOctets));
  }

  /** Records undecodable octets. In UTF-8, the sender may have written U+FFFD itself. */
  #checked(text: string, bytes: Uint8Array): string {
    if (this.faults.has('undecodable')) return text;
    if (text.includes(replacement) && !(this.#encoding === 'utf-8' && this.#wrote(text, bytes)))
      this.faults.set('undecodable', this.#encoding);
    if (this.#characters !== null) this.#behind = Buffer.from(bytes.subarray(-2));
    return text;
  }

  /** Checks whether each U+FFFD in decoded text is also in its octets. */
  #wrote(text: string, bytes: Uint8Array): boolean {
    if (this.#characters === null) return isUtf8(bytes);
    const octets = Buffer.concat([this.#behind, bytes]).toString('latin1');
    return octets.split('\xef\xbf\xbd').length === text.split(replacement).length;
  }

  /**
   * Replaces each CRLF and CR with LF in a copy, or in the same buffer. Works on octets because a pattern on text would create an object
   * per line.
   */
  #withLf(bytes: Uint8Array, kept: Buffer = Buffer.allocUnsafe(bytes.length)): Buffer {
    let length = 0;
    let afterCr = this.#afterCr;
    for (let at = 0; at < bytes.length; at++) {
      const octet = bytes[at] as number;
      if (octet !== LF || !afterCr) kept[length++] = octet === CR ? LF : octet;
      afterCr = octet === CR;
    }
    this.#afterCr = afterCr;
    return kept.subarray(0, length);
  }
}

/** Collects a multipart without parts, which is shown as text. */
export class SourceBody extends TextBody {
  readonly #found: (body: { contentType: string; body: TextBody }) => void;

  constructor(multipart: ScannedPart, found: (body: { contentType: string; body: TextBody }) => void) {
    super({ ...multipart, contentType: 'text/plain' });
    this.#found = found;
  }

  override end(): void {
    super.end();
    this.#found({ contentType: 'text/plain', body: this });
  }
}

/** Measures the size and hash of an attachment's decoded body, and keeps up to `kept` of its first bytes. */
export class MeasuredBody implements LeafSink {
  sizeBytes = 0;
  sha256 = '';
  fault: MimeFaultKind | null = null;
  readonly #part: ScannedPart;
  readonly #kept: number;
  readonly #pieces: Uint8Array[] = [];
  readonly #decoder: BodyDecoder;
  readonly #hash = createHash('sha256');

  constructor(part: ScannedPart, kept: number) {
    this.#part = part;
    this.#decoder = bodyDecoder(part.encoding);
    this.#kept = kept;
  }

  /** Returns the kept bytes as text. */
  beginning(): string {
    return Buffer.concat(this.#pieces).toString();
  }

  write(bytes: Uint8Array): void {
    this.#add(this.#decoder.push(bytes));
  }

  end(): void {
    this.#add(this.#decoder.end());
    this.sha256 = this.#hash.digest('hex');
    this.fault = damageFault(this.#decoder, this.#part);
  }

  #add(decoded: Uint8Array): void {
    const left = this.#kept - this.sizeBytes;
    // Copies the bytes because a decoder may return a view of a buffer that it reuses.
    if (left > 0) this.#pieces.push(Uint8Array.from(decoded.subarray(0, left)));
    this.sizeBytes += decoded.length;
    this.#hash.update(decoded);
  }
}

/** Names the fault of a body's octets, if any. */
function damageFault(body: BodyDecoder, part: ScannedPart): MimeFaultKind | null {
  const damage = body.damage();
  if (damage === null) return null;
  if (part.encoding === 'quoted-printable') return 'broken-quoted-printable';
  return damage === 'foreign' ? 'not-base64' : 'cut-base64';
}
