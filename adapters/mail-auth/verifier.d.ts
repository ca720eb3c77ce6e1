/** Parts of mailauth's verifier that Sandpost calls or replaces. The package has no types for them. */
declare module 'mailauth/lib/dkim/dkim-verifier.js' {
  import type { ARCData, DKIMResult, DKIMVerifyOptions } from 'mailauth';

  export type BodyHasher = {
    /** Base64, once known. */
    hash?: string;
    bodyHashedBytes: number;
    canonicalizedLength: number;
    byteLength: number;
    setContentType(parsed: unknown): void;
    digest(encoding: 'base64'): string;
    getMimeStructureStart(): number;
  };
  export type SignatureHeader = {
    type: 'DKIM' | 'ARC';
    algorithm: string;
    signingDomain: string;
    selector: string;
    parsed?: { c?: { value: string } };
  };

  export class DkimVerifier {
    constructor(options: DKIMVerifyOptions);
    bodyHashes: Map<string, BodyHasher>;
    headerFrom: string[];
    fromFields: number;
    results: DKIMResult[];
    arc: ARCData;
    keyCache: { get(...question: unknown[]): Promise<unknown> };
    writeAsync(chunk: Uint8Array): Promise<void>;
    /** Reads the header section. */
    emitHeaders(header: Buffer): Promise<void>;
    finish(): Promise<void>;
    addBodyHash(canonicalization: string, algorithm: string, limit: number | ''): string;
    verifySignature(header: SignatureHeader, fallback?: boolean): Promise<DKIMResult>;
    getStatusHeader(header: SignatureHeader): Record<string, unknown>;
    baseResult(header: SignatureHeader, format: string | undefined): object;
  }
}

declare module 'mailauth/lib/dkim/body/index.js' {
  export function dkimBody(
    canonicalization: string,
    algorithm: string,
    limit: number | '',
  ): {
    bodyHashedBytes: number;
    canonicalizedLength: number;
    update(chunk: Uint8Array): void;
    digest(encoding: 'base64'): string;
  };
}

declare module 'mailauth/lib/tools.js' {
  import type { AuthStatus } from 'mailauth';

  export function formatAuthHeaderRow(
    method: string,
    status: AuthStatus,
    options: { strict: boolean },
  ): string;
}
