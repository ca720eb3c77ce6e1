import { isUtf8 } from 'node:buffer';
import { type Reply, replies } from './replies.ts';

/** AUTH mechanisms in the order in which EHLO lists them. */
export const mechanisms = ['PLAIN', 'LOGIN', 'XOAUTH2', 'OAUTHBEARER'] as const;

export type Mechanism = (typeof mechanisms)[number];

/** Mechanism for which smtp-server processes the responses of each mechanism. */
const takenAs = { PLAIN: 'PLAIN', LOGIN: 'LOGIN', XOAUTH2: 'PLAIN', OAUTHBEARER: 'PLAIN' } as const;

/** Character that ends each key-value pair in a response with a token (RFC 7628 section 3.1). */
const pairEnd = '\x01';

/** Header of an OAUTHBEARER response that does not bind a channel (RFC 5801 section 4). */
const gs2Header = /^[ny],(?:a=((?:[^=,]|=2C|=3D)+))?,$/;

/** Empty initial response, or empty response to a challenge (RFC 4954 section 4). */
const isEmpty = (response: string) => response === '' || response === '=';

/** Response that replaces an empty user name, because smtp-server refuses empty names: a space in base64. `userNameOf` removes it. */
const blank = 'IA==';

/** Response that replaces one that cannot be read. smtp-server refuses it as a PLAIN response. */
const unreadable = '=';

/** Checks whether a line is an AUTH response: base64, or `=` for an empty initial response (RFC 4954 section 4). */
function isResponse(text: string): boolean {
  return isEmpty(text) || /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);
}

/** Returns the user name that a client sent. */
export function userNameOf(given: string): string {
  return given === ' ' ? '' : given;
}

/** Parses a mechanism's name. Returns null if the mechanism is not offered. */
export function mechanismOf(name: string): Mechanism | null {
  return mechanisms.find((mechanism) => mechanism === name.toUpperCase()) ?? null;
}

type Bearer = { userName: string; token: string };

/**
 * Parses a response for XOAUTH2, which Google and Microsoft describe, or for OAUTHBEARER (RFC 7628 section 3.1). Returns null if the
 * response is malformed or for another mechanism. A client that requests the error sends no token (section 4.3).
 */
export function readBearer(mechanism: Mechanism | null, response: string): Bearer | null {
  const bytes = Buffer.from(response, 'base64');
  const parts = bytes.toString().split(pairEnd);
  if (!isUtf8(bytes) || parts.pop() !== '' || parts.pop() !== '') return null;
  if (parts.some((part) => /\p{Cc}/u.test(part))) return null;
  const header = mechanism === 'OAUTHBEARER' ? gs2Header.exec(parts.shift() ?? '') : null;
  if (!parts.every((part) => /^[a-zA-Z]+=/.test(part))) return null;
  const pairs = new Map(parts.map((part) => [part.split('=', 1)[0], part.slice(part.indexOf('=') + 1)]));
  const [scheme = '', ...token] = pairs.get('auth')?.split(' ') ?? ['none'];
  if (pairs.size < parts.length || !/^(?:bearer)?$/i.test(scheme)) return null;
  const named = { userName: pairs.get('user') ?? '', token: token.join(' ') };
  if (mechanism === 'XOAUTH2') return pairs.has('user') ? named : null;
  return header && { ...named, userName: (header[1] ?? '').replaceAll('=2C', ',').replaceAll('=3D', '=') };
}

/** Returns the user that a response names, or null if it names none or the name could be a secret entered in the wrong field. */
export function shownUser(mechanism: Mechanism | null, response: string): string | null {
  const read = readBearer(mechanism, response);
  if (read === null || read.userName.includes('sp_')) return null;
  return read.token !== '' && read.userName.includes(read.token) ? null : read.userName;
}

/** Converts a response to a form that smtp-server accepts for the substitute mechanism. */
function responseFor(mechanism: Mechanism, response: string): string {
  if (mechanism === 'PLAIN') return response;
  if (mechanism === 'LOGIN') return isEmpty(response) ? blank : response;
  const read = readBearer(mechanism, response);
  return read === null ? unreadable : Buffer.from(`\0${read.userName}\0${read.token}`).toString('base64');
}

/** Returns the reply to a client that has answered the error challenge or given up. */
export function replyToAnswer(answer: Buffer, refusal: Reply): Reply {
  return answer.toString() === '*' ? replies.aborted : refusal;
}

/** Sign-in of a connection: its AUTH mechanism, and whether the next line is the first response for this mechanism. */
export class Exchange {
  #mechanism: Mechanism | null = null;
  #isAwaited = false;

  /** Starts a sign-in with a command. Returns a refusal, or the command in a form that smtp-server accepts. */
  begin(command: Buffer, inTransaction: boolean): { refusal: Reply | null; command: Buffer } {
    const given = command.toString().trim();
    // Bounded: the length of a command line is limited.
    const [, name = '', response] = /^\S+\s+(\S+)(?:\s+(.*))?$/.exec(given) ?? [];
    if (inTransaction) return { refusal: replies.notInTransaction, command };
    if (!isResponse(response ?? '')) return { refusal: replies.notBase64, command };
    this.#mechanism = mechanismOf(name);
    if (this.#mechanism === null) return { refusal: null, command };
    this.#isAwaited = response === undefined;
    const begun = `AUTH ${takenAs[this.#mechanism]}`;
    const taken = response === undefined ? begun : `${begun} ${responseFor(this.#mechanism, response)}`;
    return { refusal: null, command: Buffer.from(taken) };
  }

  /**
   * Converts a line before it runs. If `isAnswer`, the line answers a challenge. Returns the line in a form that smtp-server accepts, or
   * null for an answer that is not base64.
   */
  take(line: Buffer, isAnswer: boolean): Buffer | null {
    const mechanism = this.#isAwaited && isAnswer ? this.#mechanism : null;
    this.#isAwaited = false;
    if (!isAnswer) this.#mechanism = null;
    const text = line.toString();
    if (!isAnswer || text === '*') return line;
    if (!isResponse(text)) return null;
    return mechanism === null ? line : Buffer.from(responseFor(mechanism, text));
  }

  /**
   * Returns the challenge that contains a refused token's error and precedes the reply (RFC 7628 section 3.2.2, and Google's XOAUTH2).
   * Returns null for other mechanisms and for temporary refusals.
   */
  errorChallenge({ code, reason }: Reply): Reply | null {
    const mechanism = this.#mechanism;
    if (code !== 535 || (mechanism !== 'XOAUTH2' && mechanism !== 'OAUTHBEARER')) return null;
    const status = reason === 'may-not-send' ? 'insufficient_scope' : 'invalid_token';
    const error =
      mechanism === 'XOAUTH2' ? { status: '400', schemes: 'Bearer' } : { status, schemes: 'bearer' };
    const text = Buffer.from(JSON.stringify({ ...error, scope: 'send' })).toString('base64');
    return { code: 334, text };
  }
}
