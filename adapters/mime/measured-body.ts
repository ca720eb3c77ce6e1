import { createHash } from 'node:crypto';
import type { MimeFaultKind } from '#core/audit/facts.ts';
import { type BodyDecoder, bodyDecoder } from '#core/messages/attachment-body.ts';
import type { LeafSink, ScannedPart } from './scan.ts';
import { damageFault } from './text.ts';

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
