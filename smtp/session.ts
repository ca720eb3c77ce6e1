import type { SMTPServerSession } from 'smtp-server';
import type { Submitter } from '#core/delivery/submitter.ts';

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
