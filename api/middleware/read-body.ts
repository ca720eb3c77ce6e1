import type { Ctx } from '#api/context.ts';
import { HttpFault, malformed, type Problem } from '#api/shapes/problem.ts';
import { clientNetwork } from '#core/access/client-network.ts';
import { limitOf } from '#core/limit-of.ts';
import { type LimitName, limits } from '#core/limits.ts';
import type { BodyBudget, BodyShare } from '#gate/body-budget.ts';
import { turnOfStream } from '#gate/event-loop.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { JsonScanner, type ScannedLimit, type ValueLimit } from './json-body.ts';

/** Maximum bytes above the limit that are still received and dropped, so the client reads the response instead of a reset. */
const droppedBytes = 2 * 1024 * 1024;
const paceMs = 10_000;
const firstBytes = 1024;
/** Number of body bytes after which the rest is read piece by piece, one piece per turn of the event loop. */
const pacedFrom = 65_536;

/**
 * Media types that a body may have, or `any`, and the check of the body's bytes on arrival, if any. `named` and `missing` are the error
 * texts for a wrong type and a missing body. `missing` is null if an absent body counts as empty.
 */
export type BodyKind = {
  types: string[] | 'any';
  named: string;
  missing: string | null;
  scanner: (contentType: string) => BodyScanner;
};

/** Check of a body while its bytes arrive. If the body is refused, `take` returns the reason and the limit, otherwise null. */
export type BodyScanner = { take(bytes: Uint8Array): Refusal | null };

type Refusal = { name: LimitName; error: Error };

/** Accepts JSON bodies. `limit` restricts the number of their values. */
export function scannedJson(limit: ValueLimit, types: BodyKind['types']): BodyKind {
  return {
    types,
    named: 'application/json',
    missing: 'The request must have a JSON body',
    scanner: () => {
      const json = new JsonScanner(limit);
      return {
        take(bytes) {
          const beyond = json.take(bytes);
          return beyond && { name: beyond, error: new HttpFault(beyondScan(beyond)) };
        },
      };
    },
  };
}

export const jsonBody = scannedJson('http.bodyValues', ['application/json', 'application/merge-patch+json']);

type Bounds = {
  /** Name of the limit on the body's bytes, and the maximum if it differs from that limit. */
  name: LimitName;
  most?: number;
  kind?: BodyKind;
  budget: BodyBudget;
  metrics: Pick<Metrics, 'limitReached'>;
};

/**
 * Reads a request's body, or null if it has none, and passes it to `use`. The bytes count against the budget until `use` is done. Throws
 * HttpFault 400, 408, 413, 503, and the errors of the body's kind.
 */
export async function withBody<T>(
  ctx: Ctx,
  bounds: Bounds,
  use: (bytes: Uint8Array<ArrayBuffer> | null) => T | Promise<T>,
): Promise<T> {
  const { 'content-type': type, 'content-encoding': encoding } = ctx.req.headers;
  const reception = new Reception(ctx, bounds);
  try {
    const bytes = await reception.bytes();
    if (bytes.length === 0 && type === undefined) return await use(null);
    checkType(type, encoding, bounds.kind ?? jsonBody);
    return await use(bytes.length === 0 ? null : bytes);
  } finally {
    reception.release();
  }
}

/** Refuses a body that is of another type, compressed, or not in UTF-8, the encoding for JSON between systems (RFC 8259 section 8.1). */
function checkType(type: string | undefined, encoding: string | undefined, { types, named }: BodyKind): void {
  const [essence = '', ...parameters] = (type ?? '')
    .toLowerCase()
    .split(';')
    .map((part) => part.trim());
  const charset = parameters.find((parameter) => parameter.startsWith('charset='));
  const utf8 = charset === undefined || /^charset="?utf-?8"?$/.test(charset);
  if ((types !== 'any' && !types.includes(essence)) || !utf8)
    throw malformed(`The body must be ${named} in UTF-8`);
  if (encoding !== undefined && encoding !== 'identity') throw malformed('The body must not be compressed');
}

/** Receives one body. Copies chunks into one buffer as they arrive because a small chunk costs more than its bytes. */
class Reception {
  readonly #ctx: Ctx;
  readonly #bounds: Bounds;
  readonly #most: number;
  readonly #share: BodyShare;
  readonly #scanner: BodyScanner;
  /** Bytes announced by Content-Length: 0 if there is no body, null if the body arrives in chunks. */
  readonly #announced: number | null;
  #buffer = Buffer.alloc(0);
  #kept = 0;
  #arrived = 0;
  #refusal: Error | null = null;

  constructor(ctx: Ctx, bounds: Bounds) {
    const {
      'content-length': length,
      'transfer-encoding': transfer,
      'content-type': type = '',
    } = ctx.req.headers;
    this.#ctx = ctx;
    this.#bounds = bounds;
    this.#most = bounds.most ?? limitOf(bounds.name);
    this.#scanner = (bounds.kind ?? jsonBody).scanner(type);
    this.#announced = length === undefined && transfer !== undefined ? null : Number(length ?? '0');
    this.#share = bounds.budget.open(ctx.state.caller?.userId ?? null, clientNetwork(ctx.ip));
  }

  async bytes(): Promise<Uint8Array<ArrayBuffer>> {
    if (this.#announced === 0) return this.#buffer;
    if ((this.#announced ?? 0) > this.#most) this.#refuse(this.#bounds.name, new HttpFault(this.#tooLarge()));
    if (!this.#isHopeless(this.#announced ?? 0)) await this.#receive();
    if (this.#refusal === null) return this.#buffer.subarray(0, this.#kept);
    throw this.#refusal;
  }

  release(): void {
    this.#share.release();
  }

  /**
   * Receives the body. Resolves when it has arrived, exceeds its limit by `droppedBytes`, or is too slow. Rejects when the client
   * goes away.
   */
  async #receive(): Promise<void> {
    const { req } = this.#ctx;
    if (req.destroyed) throw clientGone();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const onData = (piece: Buffer) => {
      this.#take(piece);
      if (this.#isHopeless(this.#arrived)) resolve();
      else if (this.#arrived > pacedFrom) {
        // Node reads from one connection up to 32 times before it checks the others.
        req.pause();
        void turnOfStream(this.#ctx.state.caller?.userId ?? null).then(() => req.resume());
      }
    };
    let before = 0;
    const pace = setInterval(() => {
      if (this.#arrived - before < limits.http.bodyPaceBytes) {
        this.#refuse('http.bodyPaceBytes', new HttpFault(tooSlow));
        resolve();
      }
      before = this.#arrived;
    }, paceMs);
    const onClose = () => reject(clientGone());
    req.on('data', onData).once('end', resolve).once('error', reject).once('close', onClose);
    try {
      await promise;
    } finally {
      clearInterval(pace);
      req.off('data', onData).off('end', resolve).off('error', reject).off('close', onClose);
    }
  }

  #take(piece: Buffer): void {
    this.#arrived += piece.length;
    if (this.#refusal !== null) return;
    const tooLarge = this.#arrived > this.#most;
    const beyond = tooLarge ? null : this.#scanner.take(piece);
    if (tooLarge) this.#refuse(this.#bounds.name, new HttpFault(this.#tooLarge()));
    else if (beyond !== null) this.#refuse(beyond.name, beyond.error);
    else if (this.#makeRoom(this.#kept + piece.length)) {
      piece.copy(this.#buffer, this.#kept);
      this.#kept += piece.length;
    }
  }

  /** Enlarges a buffer that is too small to at least twice its size. Refuses the body and returns false if the budget is used up. */
  #makeRoom(needed: number): boolean {
    if (needed <= this.#buffer.length) return true;
    const most = this.#announced ?? this.#most;
    const size = Math.max(needed, Math.min(most, Math.max(firstBytes, 2 * this.#buffer.length)));
    const beyond = this.#share.grow(size - this.#buffer.length);
    if (beyond !== null) {
      this.#refuse(beyond, new HttpFault(tooBusy));
      return false;
    }
    const larger = Buffer.allocUnsafeSlow(size);
    this.#buffer.copy(larger, 0, 0, this.#kept);
    this.#buffer = larger;
    return true;
  }

  #refuse(name: LimitName, error: Error): void {
    this.#bounds.metrics.limitReached(name);
    this.#refusal ??= error;
    this.#buffer = Buffer.alloc(0);
    this.#share.release();
  }

  #isHopeless(bytes: number): boolean {
    return bytes > this.#most + droppedBytes;
  }

  #tooLarge(): Problem {
    const detail = `The body may have at most ${this.#most} bytes`;
    return { status: 413, code: 'payload_too_large', detail };
  }
}

function beyondScan(limit: ScannedLimit): Problem {
  const most = limitOf(limit);
  return limit === 'http.bodyLevels'
    ? {
        status: 400,
        code: 'malformed_request',
        detail: `The body may have at most ${most} levels of nesting`,
      }
    : { status: 400, code: 'too_many_values', detail: `The body may have at most ${most} values` };
}

const tooSlow: Problem = {
  status: 408,
  code: 'request_timeout',
  detail: 'The request took too long to arrive',
};

const tooBusy: Problem = {
  status: 503,
  code: 'too_busy',
  detail: 'Too many request bytes are in transit: send the requests one at a time',
  headers: { 'Retry-After': '5' },
};

function clientGone(): Error {
  return new Error('the client disconnected while sending a body');
}
