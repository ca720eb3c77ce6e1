import { type CaptureRefusal, recipientRefusals } from '#core/delivery/accept-recipient.ts';
import type { DeliveryRefusal } from '#core/delivery/delivery.ts';
import { Overloaded, StoreFull, StoreUnavailable } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Reason } from '#core/refusals/advice.ts';
import { badParameter, unknownParameter } from './command-line.ts';

export class MessageTooLarge extends Error {
  override name = 'MessageTooLarge';
}

/** Error for a message that has passed through too many hosts (RFC 5321 section 6.3). */
export class MailLoop extends Error {
  override name = 'MailLoop';
}

/**
 * Reply of the server: code (RFC 5321 section 4.2), and text that begins with the enhanced status code (RFC 3463). `reason`: the reason
 * that a team's list of refusals shows.
 */
export type Reply = { code: number; text: string; reason?: Reason };

const reply = (code: number, text: string, reason?: Reason): Reply => ({
  code,
  text,
  ...(reason && { reason }),
});

/** Replies that have no parameters. */
export const replies = {
  tooManyConnections: reply(421, '4.7.0 Too many connections, try again later', 'too-many-connections'),
  tooManyRefused: reply(
    421,
    '4.7.0 Too many recipients were refused, closing the connection',
    'too-many-refused',
  ),
  shuttingDown: reply(421, '4.3.2 Shutting down, try again later'),
  tooSlow: reply(421, '4.4.2 Too slow, closing the connection', 'connection-lost'),
  idle: reply(421, '4.4.2 No command received in time, closing the connection', 'idle'),
  lostInContent: reply(421, '4.4.2 The connection was lost during DATA', 'connection-lost'),
  http: reply(421, '4.7.0 This is SMTP, not HTTP', 'bad-command'),
  lineTooLong: reply(500, '5.5.2 Command line too long, closing the connection'),
  wrongCredentials: reply(535, '5.7.8 Wrong user name or password', 'wrong-credentials'),
  cannotSignIn: reply(454, '4.7.0 Sign-in is temporarily unavailable: try again later'),
  signedOut: reply(
    530,
    '5.7.0 The sign-in has ended because a password, a key or a membership changed: sign in again',
    'signed-out',
  ),
  notInTransaction: reply(503, '5.5.1 AUTH is not allowed during a mail transaction'),
  aborted: reply(501, '5.5.4 Authentication aborted'),
  notBase64: reply(501, '5.5.2 The response is not base64'),
  byChunksOnly: reply(503, '5.5.1 This message needs BDAT instead of DATA'),
  badChunk: reply(
    501,
    '5.5.4 BDAT needs a number of octets, and LAST for the last chunk; closing the connection',
  ),
  badCharacter: reply(501, '5.5.2 A command must be UTF-8 without control characters and end with CRLF'),
  notImplemented: reply(502, '5.5.1 Command not supported'),
  noRecipients: reply(503, '5.5.1 No recipient was accepted'),
  dsnTooLong: reply(
    452,
    '4.5.3 The ORCPT parameters are too long in total, send to this recipient in another message',
    'parameters-too-long',
  ),
  outOfStep: reply(554, '5.5.0 DATA was refused, but the client sent more without waiting for this reply'),
};

/** Codes of the replies to refused recipients, and the texts that follow the recipient's address. */
const recipientReplies: Record<CaptureRefusal, [code: number, enhanced: string, text: string]> = {
  'bad-address': [501, '5.1.3', ' is not a valid recipient address'],
  'unknown-domain': [550, '5.7.1', ': the domain is not registered here, and this is not a relay'],
  'inactive-domain': [450, '4.2.1', ': the domain is not active'],
  'unverified-domain': [450, '4.7.1', ': the domain is not verified yet'],
  'no-such-account': [550, '5.1.1', ': no such account'],
  'inactive-account': [450, '4.2.1', ': the account is not active'],
  'no-room': [552, '5.2.2', ': the account is full'],
  'no-capture': [
    550,
    '5.7.1',
    ": not one of the team's addresses, and the team has no capture account. Turn on Capture for an account (Accounts on the page, is_capture in the API)",
  ],
  'no-capture-setting': [
    550,
    '5.7.1',
    ': neither the domain nor the address in SANDPOST_CAPTURE is registered',
  ],
};

export function refusedRecipient(refusal: CaptureRefusal, address: string): Reply {
  const [code, enhanced, text] = recipientReplies[refusal];
  const hint = address.includes('@') ? '' : '. Add a domain, as in qa@app.test';
  return reply(code, `${enhanced} <${address}>${text}${hint}`, refusal);
}

/** Returns the reply to a message that was not stored because of one of its recipients. */
export function refusedDelivery({ reason, address }: DeliveryRefusal): Reply {
  if (reason === 'new-rules') return reply(451, '4.3.0 The rules for this message have changed, try again');
  return refusedRecipient(recipientRefusals[reason], address);
}

/** Returns the reply to a valid key that may not send. `reason` is a sentence without a period. */
export function mayNotSend(reason: string): Reply {
  return reply(535, `5.7.8 ${reason}`, 'may-not-send');
}

export function tooManyFailures(waitMs: number): Reply {
  return reply(
    454,
    `4.7.0 Too many failed sign-ins, try again in ${Math.ceil(waitMs / 1000)} s`,
    'too-many-failures',
  );
}

export function chunkTaken(octets: number): Reply {
  return reply(250, `2.0.0 ${octets} octets received`);
}

/** Returns the reply that refuses a MAIL or RCPT command because of a parameter (RFC 5321 section 4.1.1.11), or null. */
export function refusedParameter(command: string): Reply | null {
  const [unknown, bad] = [unknownParameter(command), badParameter(command)];
  if (unknown !== null) return reply(555, `5.5.4 ${unknown} is not a supported parameter`);
  if (bad === 'BODY') return reply(501, '5.5.4 BODY must be 7BIT, 8BITMIME or BINARYMIME');
  return bad === null ? null : reply(501, `5.5.4 ${bad} does not conform to RFC 3461`);
}

/** Decisions of smtp-server that refusals distinguish, by the names that smtp-server gives them. */
const decisions: Partial<Record<string, Reason>> = {
  MESSAGE_TOO_BIG: 'too-large',
  TOO_MANY_RECIPIENTS: 'too-many-recipients',
  MAILBOX_SYNTAX_ERROR: 'bad-address',
};

/** Returns a reply that smtp-server sends, given the reply's first line and the name of the decision. */
export function replyOf(code: number, line: string, decision: string): Reply {
  return reply(code, line.slice(4), decisions[decision]);
}

/** Returns a reply's lines as the client receives them, each with the code and, if there is one, the enhanced status code. */
export function replyLines(code: number, enhanced: string, text: string | string[]): string[] {
  const status = enhanced === '' ? '' : `${enhanced} `;
  if (typeof text === 'string') return [`${code} ${status}${text}`];
  return text.map((line, index) => `${code}${index < text.length - 1 ? '-' : ' '}${status}${line}`);
}

/** Returns the reply to a message that was stored, or that rules discarded and that therefore has no IDs. */
export function stored(ids: Id[]): Reply {
  if (ids.length === 0) return reply(250, '2.6.0 accepted, and discarded by a rule');
  return reply(250, `2.6.0 stored as ${ids.join(',')}`);
}

/** Returns the reply to a thrown error. If the error's class is unknown, the reply reports a temporary server fault. */
export function failed(error: unknown): Reply {
  if (error instanceof MessageTooLarge)
    return reply(552, '5.3.4 The message exceeds the SIZE limit', 'too-large');
  if (error instanceof MailLoop)
    return reply(554, '5.4.6 Too many Received fields: the message is in a loop', 'mail-loop');
  if (error instanceof StoreFull) return reply(452, '4.3.1 The disk is full, try again later', 'store-full');
  if (error instanceof StoreUnavailable) return reply(451, '4.3.0 The store is unavailable, try again later');
  if (error instanceof Overloaded)
    return reply(451, '4.3.2 The server is too busy or shutting down, try again later');
  return reply(451, '4.3.0 Something went wrong here, try again later');
}
