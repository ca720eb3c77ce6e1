import type { SMTPServerSession } from 'smtp-server';
import type { Submitter } from '#core/delivery/submitter.ts';
import type { Reply } from './replies.ts';

export type { SMTPServerSession };

/** Value of `session.user`: who signed in, and when that was last found to be valid, in ms. */
export type SignedIn = { submitter: Submitter; checkedAt: number };

/** Returns who has signed in to a session, or null. */
export function signedIn({ user }: SMTPServerSession): SignedIn | null {
  return user || null;
}

/** Returns what a session tells of its sender, for refusals. */
export function senderOf(session: SMTPServerSession) {
  const { envelope, hostNameAppearsAs, remoteAddress } = session;
  return {
    remoteAddress,
    helo: hostNameAppearsAs || null,
    mailFrom: envelope.mailFrom ? envelope.mailFrom.address : null,
    submitter: signedIn(session)?.submitter ?? null,
  };
}

/** Refusal of each session that is noted and will be sent next. */
const told = new WeakMap<SMTPServerSession, string>();

/** Keeps that a reply is noted for those that it concerns. */
export function markTold(
  session: SMTPServerSession,
  { code, text }: Omit<Reply, 'code'> & { code?: number },
): void {
  told.set(session, `${code} ${text}`);
}

/** Checks whether a reply is noted, and forgets it. */
export function takeTold(session: SMTPServerSession, line: string): boolean {
  const isTold = told.get(session) === line;
  told.delete(session);
  return isTold;
}

/** Replies of ours that smtp-server is given to send, the last one of each session. */
const written = new WeakMap<SMTPServerSession, Reply>();

/** Has a reply sent as it is written. */
export function sendAsWritten(session: SMTPServerSession, reply: Reply): void {
  written.set(session, reply);
}

/** Checks whether a reply is to be sent as it is written. */
export function isAsWritten(session: SMTPServerSession, code: number, text: unknown): boolean {
  const reply = written.get(session);
  return reply?.code === code && reply.text === text;
}
