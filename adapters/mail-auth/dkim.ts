import type { DKIMResult, DKIMVerifyOptions } from 'mailauth';
import { type BodyHasher, DkimVerifier, type SignatureHeader } from 'mailauth/lib/dkim/dkim-verifier.js';
import { DnsError } from '#adapters/dns/dns.ts';
import { type BodyHash, CanonicalBody, type Canonicalization } from './body.ts';
import type { CheckBudget } from './budget.ts';

/** Number of octets of a body that are canonicalized between two checks of the budget. */
const stepBytes = 65_536;

type Body = Iterable<Uint8Array> | AsyncIterable<Uint8Array>;

/** mailauth's verifier, with one pass over the body for each canonicalization, and a bound on its processor time. */
class BoundedVerifier extends DkimVerifier {
  readonly #bodies = new Map<string, CanonicalBody>();
  readonly #budget: CheckBudget;
  #broken = false;

  constructor(options: DKIMVerifyOptions, budget: CheckBudget) {
    super(options);
    this.#budget = budget;
    // ARC seals are verified with the keys of the same cache.
    const { get } = this.keyCache;
    this.keyCache.get = (...question) => {
      budget.mark();
      if (!budget.exhausted) return get(...question);
      const refused = Promise.reject(new DnsError('ETIMEOUT', 'the time for the checks is used up'));
      // A promise for a key that is fetched early may never be awaited.
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

  /** Reads the body as far as a signature needs it and the budget allows. */
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
      comment: 'the checks of this mail took too long',
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

/** Verifies the signatures of a header section and the body that follows it. The budget bounds all but DNS. */
export async function verifySignatures(
  { header, body }: { header: Uint8Array; body: Body },
  options: DKIMVerifyOptions,
  budget: CheckBudget,
): Promise<Pick<DkimVerifier, 'headerFrom' | 'fromFields' | 'results' | 'arc'>> {
  const verifier = new BoundedVerifier(options, budget);
  budget.mark();
  await verifier.writeAsync(header);
  await verifier.hashBody(body);
  budget.mark();
  await verifier.finish();
  return verifier;
}
