import { onlyTeam } from '#core/delivery/accept-recipient.ts';
import {
  isSignedIn,
  partyOfSignIn,
  type SignInMemory,
  type SubmitterPorts,
  signInSubmitter,
} from '#core/delivery/submitter.ts';
import { ForbiddenRole, InsufficientScope, TooMany, Unauthenticated } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { FailedSignIns, KnownPasswords } from '#gate/guesses.ts';
import type { Services } from '#setup/services.ts';
import { noteRefusal, type RefusalServices } from './refusals.ts';
import { mayNotSend, type Reply, replies, tooManyFailures } from './replies.ts';
import { markTold, type SignedIn, senderOf, signedIn } from './session.ts';
import type { SMTPServerSession } from './smtp-server-adapter.ts';

export type SubmitterServices = SubmitterPorts &
  RefusalServices &
  Pick<Services, 'attempts' | 'everybody' | 'captureAddress'>;

/** Time in ms after which a command or the end of a mail checks again that the password or the key is the same. */
const recheckMs = limits.access.credentialEndMs / 2;

type Credentials = { userName: string; password: string };

/** Submitters of the SMTP sessions. */
export type Submitters = {
  /** Signs in. Returns the value of `session.user`, or the reply that refuses it. Never rejects. */
  signIn(credentials: Credentials, session: SMTPServerSession): Promise<SignedIn | Reply>;
  /** Returns null, or the reply that tells that the session is not signed in any more. Never rejects. */
  confirm(session: SMTPServerSession): Promise<Reply | null>;
};

export function createSubmitters(services: SubmitterServices): Submitters {
  const memory: SignInMemory = { failures: new FailedSignIns(services), passwords: new KnownPasswords() };
  const logged = new WeakSet<SMTPServerSession>();
  /** Logs the first refusal of a session: one client may cause many. */
  const refused = (reply: Reply, session: SMTPServerSession): Reply => {
    const told = { event: 'submitter.refused', reply: `${reply.code} ${reply.text}` };
    if (!logged.has(session))
      services.log.info({ ...told, remoteAddress: session.remoteAddress }, 'a submitter was refused');
    logged.add(session);
    return reply;
  };
  const looking = new WeakSet<SMTPServerSession>();
  /**
   * Notes a refused sign-in for its team, which is looked up meanwhile, at most once at a time for a session: the reply tells nothing
   * of it, not even by its time.
   */
  const note = async (credentials: Credentials, reply: Reply, session: SMTPServerSession): Promise<void> => {
    markTold(session, reply);
    if (looking.has(session)) return;
    looking.add(session);
    const sender = senderOf(session);
    try {
      const party = await partyOfSignIn(services, credentials);
      const team = party?.owner ?? (await onlyTeam(services));
      if (team === null) return;
      noteRefusal(services, { ...sender, submitter: party }, { team, stage: 'auth', reply });
    } catch (err) {
      services.log.debug({ err }, 'the team of a refused sign-in could not be looked up');
    } finally {
      looking.delete(session);
    }
  };
  const replyOf = (error: unknown): Reply => {
    if (error instanceof Unauthenticated) return replies.wrongCredentials;
    if (error instanceof InsufficientScope || error instanceof ForbiddenRole)
      return mayNotSend(error.message);
    if (error instanceof TooMany) return tooManyFailures(error.retryAfterMs);
    services.log.error({ err: error }, 'a submitter could not be looked up');
    return replies.cannotSignIn;
  };
  return {
    async signIn(credentials, session) {
      const { everybody } = services;
      try {
        if (everybody !== null) {
          // Any credentials will do, unless they are those of another team.
          const party = await partyOfSignIn(services, credentials);
          if (party === null || party.owner === everybody.owner)
            return { submitter: everybody, checkedAt: Number.POSITIVE_INFINITY };
        }
        const submitter = await signInSubmitter(services, memory, credentials, session.remoteAddress);
        return { submitter, checkedAt: performance.now() };
      } catch (error) {
        const reply = replyOf(error);
        void note(credentials, reply, session);
        return refused(reply, session);
      }
    },
    async confirm(session) {
      const known = signedIn(session);
      if (known === null || performance.now() - known.checkedAt < recheckMs) return null;
      try {
        const isValid = await isSignedIn(services, known.submitter);
        known.checkedAt = performance.now();
        if (isValid) return null;
      } catch (error) {
        return refused(replyOf(error), session);
      }
      const told = {
        team: known.submitter.owner,
        stage: 'auth',
        reply: replies.signedOut,
      } as const;
      markTold(session, replies.signedOut);
      noteRefusal(services, senderOf(session), told);
      session.user = false;
      return refused(replies.signedOut, session);
    },
  };
}
