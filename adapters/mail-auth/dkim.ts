import type { DKIMResult, DKIMVerifyOptions } from 'mailauth';
import { type BodyHasher, DkimVerifier, type SignatureHeader } from 'mailauth/lib/dkim/dkim-verifier.js';
import addressparser from 'nodemailer/lib/addressparser';
import { DnsError } from '#adapters/dns/dns.ts';
import { limits as allLimits, type LimitName } from '#core/limits.ts';
import { type BodyHash, CanonicalBody, type Canonicalization } from './body.ts';
import type { CheckBudget } from './budget.ts';

/** Octets of a body that are canonicalized between two budget checks. */
const stepBytes = 65_536;

type Body = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** Wraps mailauth's verifier: reads the body once for each canonicalization, and bounds the processor time. */
class BoundedVerifier extends DkimVerifier {
  readonly #bodies = new Map<string, CanonicalBody>();
  readonly #budget: CheckBudget;
  #broken = false;

  constructor(options: DKIMVerifyOptions, budget: CheckBudget) {
    super(options);
    this.#budget = budget;
    // ARC seals are verified with keys from the same cache.
    const { get } = this.keyCache;
    this.keyCache.get = (...question) => {
      budget.mark();
      if (!budget.exhausted) return get(...question);
      const refused = Promise.reject(new DnsError('ETIMEOUT', 'the checks took too long'));
      // The promises of prefetched keys may never be awaited.
      refused.catch(() => {});
      return refused;
    };
  }

  override addBodyHash(canonicalization: Canonicalization, algorithm: string, limit: number | ''): string {
    const key = [canonicalization, algorithm, limit].join(':');
    if (this.bodyHashes.has(key)) return key;
    const body = this.#bodies.get(canonicalization) ?? new CanonicalBody(canonicalization);
    this.#bodies.set(canonicalization, body);
    this.bodyHashes.set(
      key,
      hasher(body, body.ask(algorithm, limit === '' ? Number.POSITIVE_INFINITY : limit)),
    );
    return key;
  }

  /** Reads the body as far as a signature needs and the budget allows. */
  async hashBody(pieces: Body): Promise<void> {
    for await (const piece of pieces) {
      if (this.#bodies.size === 0) return;
      this.#budget.mark();
      for (let at = 0; at < piece.length; at += stepBytes) {
        if (this.#budget.exhausted) {
          this.#broken = true;
          return;
        }
        for (const body of this.#bodies.values()) body.update(piece.subarray(at, at + stepBytes));
      }
    }
  }

  override async verifySignature(header: SignatureHeader, fallback?: boolean): Promise<DKIMResult> {
    this.#budget.mark();
    if (!this.#broken && !this.#budget.exhausted) return super.verifySignature(header, fallback);
    const status = {
      result: 'temperror',
      comment: 'the checks took too long',
      header: this.getStatusHeader(header),
    };
    return Object.assign(this.baseResult(header, header.parsed?.c?.value), { status }) as DKIMResult;
  }
}

/** Body hasher with the interface that mailauth calls. */
function hasher(body: CanonicalBody, result: () => BodyHash): BodyHasher {
  return {
    bodyHashedBytes: 0,
    canonicalizedLength: 0,
    byteLength: 0,
    setContentType() {},
    digest() {
      const { base64, hashedBytes } = result();
      this.bodyHashedBytes = hashedBytes;
      this.canonicalizedLength = body.length;
      return base64;
    },
    getMimeStructureStart: () => -1,
  };
}

type Verified = Pick<DkimVerifier, 'headerFrom' | 'fromFields' | 'results' | 'arc'>;

/** Verifies the signatures of a header section and the body that follows. The budget bounds everything except DNS. */
export async function verifySignatures(
  verifiable: Signed | Unsigned,
  options: DKIMVerifyOptions,
  budget: CheckBudget,
): Promise<Verified> {
  if ('authors' in verifiable) return unsigned(verifiable.authors);
  const verifier = new BoundedVerifier(options, budget);
  budget.mark();
  // mailauth would search for the end of the header section octet by octet.
  await verifier.emitHeaders(verifiable.header);
  await verifier.hashBody(verifiable.body);
  budget.mark();
  await verifier.finish();
  return verifier;
}

/** Reads From fields as mailauth's verifier does, without creating one, because it would find no signature. */
function unsigned(fields: string[]): Verified {
  const headerFrom = fields
    .map((field) => Buffer.from(field, 'latin1').toString().slice('from:'.length).trim())
    .flatMap((value) => addressparser(value.replace(/\r?\n/g, '\r\n')))
    .flatMap((one) => one.group ?? one)
    .flatMap(({ address }) => address || []);
  return { headerFrom, fromFields: fields.length, results: [], arc: { chain: [] } };
}

const { mail: limits } = allLimits;

/** Input of the checks: the whole message if it has signatures, otherwise only its author fields. */
export type Verifiable = Signed | Unsigned | Refusal;

type Signed = { header: Buffer; body: Body };
type Unsigned = { authors: string[] };
type Refusal = { refused: string; limit: LimitName };

/** Reads enough of the message to see whether it is signed. Throws only what `source` throws. */
export async function readVerifiable(source: Uint8Array | AsyncIterable<Uint8Array>): Promise<Verifiable> {
  if (source instanceof Uint8Array) {
    const bytes = Buffer.from(source.buffer, source.byteOffset, source.byteLength);
    const end = headerEnd(bytes) ?? bytes.length;
    const head = bytes.subarray(0, end);
    return judge(head) ?? { header: head, body: [bytes.subarray(end)] };
  }
  const pieces = source[Symbol.asyncIterator]();
  let read: Buffer = Buffer.alloc(0);
  let end: number | undefined;
  while (end === undefined && read.length <= limits.signedHeaderBytes) {
    const { done, value } = await pieces.next();
    if (done === true) break;
    read = Buffer.concat([read, value]);
    end = headerEnd(read);
  }
  const head = read.subarray(0, end ?? read.length);
  const judged = judge(head);
  if (judged === null) return { header: head, body: resume(read.subarray(head.length), pieces) };
  await pieces.return?.();
  return judged;
}

async function* resume(read: Buffer, pieces: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    yield read;
    yield* { [Symbol.asyncIterator]: () => pieces };
  } finally {
    await pieces.return?.();
  }
}

/** Returns the end of the header section, including its empty line. If the first line is empty, the section has no fields. */
function headerEnd(bytes: Buffer): number | undefined {
  if (bytes[0] === 0x0a) return 1;
  if (bytes[0] === 0x0d && bytes[1] === 0x0a) return 2;
  const crlf = bytes.indexOf('\n\r\n');
  const lf = bytes.indexOf('\n\n');
  if (crlf < 0 && lf < 0) return undefined;
  return lf < 0 || (crlf >= 0 && crlf < lf) ? crlf + 3 : lf + 2;
}

const signature = /^(?:dkim-signature|arc-(?:seal|message-signature|authentication-results))\b/im;

/**
 * Returns the From fields of an unsigned header section, the only fields that DMARC reads. Returns all fields if a line is neither a field
 * nor a continuation: mailauth then decides where fields start.
 */
function authors(head: Buffer, text: string): Signed | Unsigned {
  if (!/^(?:(?:[\x21-\x39\x3b-\x7e]+:|[ \t])[^\r\n]*\r?\n)+\r?\n$/.test(text))
    return { header: head, body: [] };
  // Bounded: octets contain no Unicode line separators, at which `^` would match within a line.
  return { authors: text.match(/^from:[^\r\n]*\r?\n(?:[ \t][^\r\n]*\r?\n)*/gim) ?? [] };
}

// Bounded: a header section is short and ends with a line end, so each search ends immediately.
const signatureField =
  /^(?:dkim-signature|arc-(?:seal|message-signature|authentication-results))\b[^\n]*\n(?:[ \t][^\n]*\n)*/gim;

/**
 * Returns the reason why a header section is not checked, or what an unsigned one is checked by, or null if it is signed. Honest sections
 * stay far below these limits, for each of which mailauth takes quadratic time.
 */
function judge(head: Buffer): Verifiable | null {
  const refused = (limit: LimitName, what: string) => ({ refused: what, limit });
  if (head.length > limits.signedHeaderBytes)
    return refused('mail.signedHeaderBytes', `the header section exceeds ${limits.signedHeaderBytes} octets`);
  let lines = 0;
  let spaces = 0;
  let mostSpaces = 0;
  for (let at = 0; at < head.length; at++) {
    const octet = head[at] ?? 0;
    if (octet === 0x0a) lines++;
    const isSpace = octet === 0x20 || (octet >= 0x09 && octet <= 0x0d);
    spaces = isSpace ? spaces + 1 : 0;
    if (spaces > mostSpaces) mostSpaces = spaces;
  }
  if (lines > limits.signedHeaderLines)
    return refused(
      'mail.signedHeaderLines',
      `the header section has more than ${limits.signedHeaderLines} lines`,
    );
  const text = head.toString('latin1');
  if (!signature.test(text)) return authors(head, text);
  if (mostSpaces > limits.signedHeaderSpaces)
    return refused(
      'mail.signedHeaderSpaces',
      `the header section has more than ${limits.signedHeaderSpaces} consecutive spaces`,
    );
  const fields = text.match(signatureField) ?? [];
  if (fields.some(({ length }) => length > limits.signatureFieldBytes))
    return refused(
      'mail.signatureFieldBytes',
      `a signature field exceeds ${limits.signatureFieldBytes} octets`,
    );
  const signatures = fields.filter((field) => /^dkim/i.test(field)).length;
  return signatures > limits.signatures
    ? refused('mail.signatures', `the message has more than ${limits.signatures} signatures`)
    : null;
}
