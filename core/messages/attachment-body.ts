import type { TransferEncoding } from './content.ts';

/** Decodes a body piece by piece. The decoded bytes do not depend on how the body is split. */
export type BodyDecoder = {
  push(encoded: Uint8Array): Uint8Array;
  end(): Uint8Array;
  /**
   * Fault in the octets that have been decoded so far, or null. `foreign`: some octets are not valid in the encoding. `cut`: the last
   * group is incomplete.
   */
  damage(): 'foreign' | 'cut' | null;
};

export async function* decodeBody(
  pieces: AsyncIterable<Uint8Array>,
  encoding: TransferEncoding,
): AsyncIterable<Uint8Array> {
  const decoder = bodyDecoder(encoding);
  for await (const piece of pieces) {
    const decoded = decoder.push(piece);
    if (decoded.length > 0) yield decoded;
  }
  const rest = decoder.end();
  if (rest.length > 0) yield rest;
}

/** Encodes bytes in base64 as they arrive, without line breaks. */
export async function* toBase64(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let rest = Buffer.of();
  for await (const piece of pieces) {
    const bytes = Buffer.concat([rest, piece]);
    const whole = bytes.length - (bytes.length % 3);
    rest = bytes.subarray(whole);
    yield Buffer.from(bytes.toString('base64', 0, whole));
  }
  yield Buffer.from(rest.toString('base64'));
}

/** Creates a decoder for one body. It accepts any bytes: it skips malformed base64, and keeps malformed quoted-printable unchanged. */
export function bodyDecoder(encoding: TransferEncoding): BodyDecoder {
  if (encoding === 'base64') return base64Decoder();
  if (encoding === 'quoted-printable') return quotedPrintableDecoder();
  return { push: (piece) => piece, end: () => new Uint8Array(), damage: () => null };
}

const skip = 64;
const pad = 65;
const foreign = 66;
const sextetOf = sextets();

function sextets(): Uint8Array {
  const table = new Uint8Array(256).fill(foreign);
  for (const blank of ' \t\r\n') table[blank.charCodeAt(0)] = skip;
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  for (let value = 0; value < alphabet.length; value++) table[alphabet.charCodeAt(value)] = value;
  table['='.charCodeAt(0)] = pad;
  return table;
}

/** Decodes base64 (RFC 2045 section 6.8). Ignores characters outside the alphabet. Padding ends a quantum, not the body. */
function base64Decoder(): BodyDecoder {
  let bits = 0;
  let held = 0;
  let hasForeign = false;
  return {
    push(encoded) {
      const decoded = new Uint8Array(Math.ceil((encoded.length * 3) / 4) + 1);
      let length = 0;
      for (let at = 0; at < encoded.length; at++) {
        const sextet = sextetOf[encoded[at] as number] as number;
        if (sextet >= skip) {
          if (sextet === pad) held = 0;
          else if (sextet === foreign) hasForeign = true;
          continue;
        }
        bits = ((bits << 6) | sextet) & 0xffff;
        held += 6;
        if (held >= 8) {
          held -= 8;
          decoded[length++] = (bits >> held) & 0xff;
        }
      }
      return decoded.subarray(0, length);
    },
    end: () => new Uint8Array(),
    damage: () => (hasForeign ? 'foreign' : held > 0 ? 'cut' : null),
  };
}

const equals = 0x3d;
const blank = 0x20;
const CR = 0x0d;
const LF = 0x0a;
/** Maximum length of a run of white space that is buffered because it may be padding at the end of a line. */
const maxHeld = 998;

/** Decodes quoted-printable (RFC 2045 section 6.7). Soft line breaks and white space at the end of a line are not part of the body. */
function quotedPrintableDecoder(): BodyDecoder {
  // Bytes whose meaning depends on what follows: an equals sign with the bytes after it, or a run of white space.
  let held: number[] = [];
  let hasForeign = false;
  const release = (into: Uint8Array, length: number): number => {
    for (const byte of held) into[length++] = byte;
    held = [];
    return length;
  };
  return {
    push(encoded) {
      const decoded = new Uint8Array(encoded.length + held.length);
      let length = 0;
      for (let at = 0; at < encoded.length; at++) {
        const byte = encoded[at] as number;
        if (held.length > 0) {
          const verdict = judge(held, byte);
          if (verdict === 'hold') {
            held.push(byte);
            continue;
          }
          if (verdict === 'keep') {
            hasForeign ||= held[0] === equals;
            length = release(decoded, length);
          } else {
            held = [];
            if (verdict === 'drop-both') continue;
            if (verdict !== 'drop') {
              decoded[length++] = verdict;
              continue;
            }
          }
        }
        // Decodes a complete escape without buffering it.
        const octet = byte === equals ? octetAt(encoded, at + 1) : -1;
        if (octet >= 0) {
          decoded[length++] = octet;
          at += 2;
        } else if (byte === equals || (isBlank(byte) && (encoded[at + 1] ?? 0) <= blank)) held.push(byte);
        else decoded[length++] = byte;
      }
      return decoded.subarray(0, length);
    },
    end() {
      const literal = held[0] === equals && hexValue(held[1]) >= 0;
      return literal ? Uint8Array.from(held) : new Uint8Array();
    },
    damage: () => (hasForeign ? 'foreign' : hexValue(held[1]) >= 0 ? 'cut' : null),
  };
}

/** Decides what happens to the buffered bytes, given the byte `next`. A number is the byte that the buffered bytes encode. */
function judge(held: number[], next: number): 'hold' | 'keep' | 'drop' | 'drop-both' | number {
  if (held[0] !== equals) {
    if (next === CR || next === LF) return 'drop';
    return isBlank(next) && held.length < maxHeld ? 'hold' : 'keep';
  }
  const last = held.at(-1);
  const first = hexValue(held[1]);
  if (first >= 0) return hexValue(next) >= 0 ? first * 16 + hexValue(next) : 'keep';
  if (next === LF) return 'drop-both';
  if (last === CR) return 'keep';
  if (next === CR || (isBlank(next) && held.length < maxHeld)) return 'hold';
  return held.length === 1 && hexValue(next) >= 0 ? 'hold' : 'keep';
}

function isBlank(byte: number): boolean {
  return byte === blank || byte === 0x09;
}

/** Returns the octet that two hexadecimal digits represent, or -1. */
function octetAt(encoded: Uint8Array, at: number): number {
  const high = hexValue(encoded[at]);
  const low = hexValue(encoded[at + 1]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

/** Returns the value of an octet that is a hexadecimal digit, or -1 for any other octet. */
function hexValue(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
