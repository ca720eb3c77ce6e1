import { type Reply, replies } from './replies.ts';

/** Initial response, or response to a challenge, that is empty (RFC 4954 section 4). */
const isEmpty = (response: string) => response === '' || response === '=';

/** Response in place of an empty user name, which smtp-server refuses: a blank in base64. `userNameOf` removes it. */
const blank = 'IA==';

/** Checks whether a text is a response to AUTH: base64, or `=` for an empty initial response (RFC 4954 section 4). */
export function isResponse(text: string): boolean {
  return isEmpty(text) || /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/.test(text);
}

/** Returns a response that is a user name in a form that smtp-server takes. */
export function userNameResponse(response: string): string {
  return isEmpty(response) ? blank : response;
}

/** Returns the user name that a client has given. */
export function userNameOf(given: string): string {
  return given === ' ' ? '' : given;
}

/**
 * Begins an exchange: a refusal, or the command in a form that smtp-server takes. `awaitsUserName`: the next line is the user name of
 * AUTH LOGIN.
 */
export function beginAuth(
  command: Buffer,
  inTransaction: boolean,
): { refusal: Reply | null; command: Buffer; awaitsUserName: boolean } {
  const given = command.toString().trim();
  // Bounded: a command line has a limit.
  const [, mechanism = '', response] = /^\S+\s+(\S+)(?:\s+(.*))?$/.exec(given) ?? [];
  const isLogin = mechanism.toUpperCase() === 'LOGIN';
  const isRefused = inTransaction || !isResponse(response ?? '');
  const named = `AUTH LOGIN ${userNameResponse(response ?? '')}`;
  return {
    refusal: isRefused ? (inTransaction ? replies.notInTransaction : replies.notBase64) : null,
    command: isLogin && response !== undefined ? Buffer.from(named) : command,
    awaitsUserName: isLogin && response === undefined && !isRefused,
  };
}
