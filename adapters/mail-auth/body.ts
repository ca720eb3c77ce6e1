import { createHash, type Hash } from 'node:crypto';

const CR = 0x0d;
const LF = 0x0a;
const SPACE = 0x20;
const TAB = 0x09;
const outputBytes = 65_536;

export type Canonicalization = 'simple' | 'relaxed';

/** Returns the hash of a canonical body, or of its first octets (`l=`), after the body has ended. */
export type BodyHash = { base64: string; hashedBytes: number };

/**
 * Hashes a body for signatures (RFC 6376 section 3.4.3 and 3.4.4). One pass serves all lengths of one canonicalization. As in
 * mailauth, a lone LF ends a line, and a lone CR is content.
 */
export class CanonicalBody {
  /** Number of octets of the canonical body so far. */
  length = 0;
  readonly #relaxed: boolean;
  readonly #hashers = new Map<string, PrefixHasher>();
  readonly #output = Buffer.allocUnsafe(outputBytes);
  #written = 0;
  #afterCr = false;
  #space = false;
  /** Number of line ends that count only if content follows. */
  #lineEnds = 0;
  #ended = false;

  constructor(canonicalization: Canonicalization) {
    this.#relaxed = canonicalization === 'relaxed';
  }

  /** Requests a hash. Must be called before the first `update`. The returned function ends the body and returns the hash. */
  ask(algorithm: string, limit: number): () => BodyHash {
    const hasher = this.#hashers.get(algorithm) ?? new PrefixHasher(algorithm);
    this.#hashers.set(algorithm, hasher);
    hasher.ask(limit);
    return () => {
      this.#end();
      return hasher.result(limit);
    };
  }

  update(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; at++) {
      const octet = bytes[at] as number;
      if (this.#afterCr) {
        this.#afterCr = false;
        if (octet !== LF) this.#content(CR);
      }
      if (octet === CR) this.#afterCr = true;
      else if (octet === LF) {
        this.#space = false;
        this.#lineEnds++;
      } else if (this.#relaxed && (octet === SPACE || octet === TAB)) this.#space = true;
      else this.#content(octet);
    }
  }

  #content(octet: number): void {
    for (; this.#lineEnds > 0; this.#lineEnds--) this.#writeLineEnd();
    if (this.#space) {
      this.#write(SPACE);
      this.#space = false;
    }
    this.#write(octet);
  }

  #writeLineEnd(): void {
    this.#write(CR);
    this.#write(LF);
  }

  #write(octet: number): void {
    this.#output[this.#written++] = octet;
    if (this.#written === outputBytes) this.#flush();
  }

  #flush(): void {
    const octets = this.#output.subarray(0, this.#written);
    this.#written = 0;
    this.length += octets.length;
    for (const hasher of this.#hashers.values()) hasher.update(octets);
  }

  /** Ends the body. Omits empty lines at its end. Adds a CRLF to a non-empty body, and to any body in simple canonicalization. */
  #end(): void {
    if (this.#ended) return;
    this.#ended = true;
    if (this.#afterCr) this.#content(CR);
    if (!this.#relaxed || this.length + this.#written > 0) this.#writeLineEnd();
    this.#flush();
  }
}

/** Hashes octets, and each requested prefix of them, in one pass. */
class PrefixHasher {
  readonly #hash: Hash;
  readonly #results = new Map<number, BodyHash | null>();
  /** Prefix lengths not reached yet, shortest last. */
  #limits: number[] = [];
  #hashed = 0;

  constructor(algorithm: string) {
    this.#hash = createHash(algorithm);
  }

  ask(limit: number): void {
    if (this.#results.has(limit)) return;
    this.#results.set(limit, null);
    this.#limits.push(limit);
    this.#limits.sort((one, other) => other - one);
  }

  update(octets: Uint8Array): void {
    let rest = octets;
    for (let limit = this.#limits.at(-1); limit !== undefined; limit = this.#limits.at(-1)) {
      const part = limit - this.#hashed;
      if (part > rest.length) break;
      this.#add(rest.subarray(0, part));
      rest = rest.subarray(part);
      this.#results.set(limit, this.#snapshot());
      this.#limits.pop();
    }
    this.#add(rest);
  }

  result(limit: number): BodyHash {
    return this.#results.get(limit) ?? this.#snapshot();
  }

  #add(octets: Uint8Array): void {
    this.#hash.update(octets);
    this.#hashed += octets.length;
  }

  #snapshot(): BodyHash {
    return { base64: this.#hash.copy().digest('base64'), hashedBytes: this.#hashed };
  }
}
