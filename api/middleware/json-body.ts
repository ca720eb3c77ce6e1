import { Malformed } from '#core/errors.ts';
import { limitOf } from '#core/limit-of.ts';
import { type LimitName, limits } from '#core/limits.ts';

/** Parses a JSON body, which must be an object. Throws Malformed, with `advice` if the body is a list. */
export function parseObject(bytes: Uint8Array, advice = ''): Record<string, unknown> {
  const value = parseJson(bytes);
  if (!isObject(value))
    throw new Malformed(`The body must be a JSON object${Array.isArray(value) ? advice : ''}`);
  return value;
}

/** Parses a body that a JsonScanner has found to be within its limits. Removes names that could reach a prototype. Throws Malformed. */
export function parseJson(bytes: Uint8Array): unknown {
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    throw new Malformed('The body is not JSON');
  }
  if (!isWellFormed(value)) throw new Malformed('The body contains an unpaired surrogate');
  return value;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Checks that no string in the value, however deeply nested, contains half a surrogate pair. Also removes own properties named
 * `__proto__`.
 */
function isWellFormed(value: unknown): boolean {
  if (typeof value === 'string') return value.isWellFormed();
  if (Array.isArray(value)) return value.every(isWellFormed);
  if (!isObject(value)) return true;
  Reflect.deleteProperty(value, '__proto__');
  return Object.values(value).every(isWellFormed);
}

const quote = 0x22;
const backslash = 0x5c;
const comma = 0x2c;
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d];

/** Limit on the number of values in JSON text. */
export type ValueLimit = Extract<LimitName, 'http.bodyValues' | 'submissions.bodyValues'>;

/** Limit that JSON text can exceed. */
export type ScannedLimit = ValueLimit | 'http.bodyLevels';

const mostLevels = limits.http.bodyLevels;

/**
 * Counts the values and levels of JSON text (RFC 8259) while its bytes arrive, without building anything. Leaves syntax checking to the
 * parser. All structural bytes are ASCII, so UTF-8 need not be decoded.
 */
export class JsonScanner {
  readonly #limit: ValueLimit;
  readonly #mostValues: number;
  #values = 0;
  #levels = 0;
  #inString = false;
  #escaped = false;
  /** True if the next byte begins a value without a preceding comma, unless it is white space or a closing bracket. */
  #opened = true;

  constructor(limit: ValueLimit) {
    this.#limit = limit;
    this.#mostValues = limitOf(limit);
  }

  /** Accepts bytes. Returns the limit that the text exceeds with these bytes, or null. */
  take(bytes: Uint8Array): ScannedLimit | null {
    for (let at = 0; at < bytes.length; at += 1) {
      if (this.#inString) {
        at = this.#passString(bytes, at);
        continue;
      }
      const byte = bytes[at] ?? 0;
      // White space may be most of a body.
      if (byte <= 0x20) {
        at = lastBlank(bytes, at);
        continue;
      }
      this.#passToken(byte);
      if (this.#values > this.#mostValues) return this.#limit;
      if (this.#levels > mostLevels) return 'http.bodyLevels';
    }
    return null;
  }

  /** Returns the position of the quotation mark that ends the string, or the end of the bytes. */
  #passString(bytes: Uint8Array, from: number): number {
    let escaped = this.#escaped;
    let at = from;
    for (; at < bytes.length; at += 1) {
      const byte = bytes[at];
      if (escaped) escaped = false;
      else if (byte === backslash) escaped = true;
      else if (byte === quote) {
        this.#inString = false;
        break;
      }
    }
    this.#escaped = escaped;
    return at;
  }

  #passToken(byte: number): void {
    const closes = byte === closeList || byte === closeObject;
    if (byte === comma || (this.#opened && !closes)) this.#values += 1;
    this.#opened = byte === openList || byte === openObject;
    if (this.#opened) this.#levels += 1;
    else if (closes) this.#levels -= 1;
    else if (byte === quote) this.#inString = true;
  }
}

/** Returns the position of the last white space or control character in the run that begins at `from`. */
function lastBlank(bytes: Uint8Array, from: number): number {
  let at = from;
  while ((bytes[at + 1] ?? 0xff) <= 0x20) at += 1;
  return at;
}
