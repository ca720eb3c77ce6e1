import {
  type Credentials,
  isSignedIn,
  partyOfSignIn,
  type Submitter,
  signInSubmitter,
  withUserName,
} from '#core/delivery/submitter.ts';
import { ForbiddenRole, InsufficientScope, TooMany, Unauthenticated } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { mayNotSend, type Reply, replies, tooManyFailures } from './replies.ts';
import type { Shared } from './shared.ts';
import type { Transaction } from './transaction.ts';

/** Time in ms after which a command or the end of an email causes another check that the password or key is unchanged. */
const recheckMs = limits.access.credentialEndMs / 2;

/** Signs in. Returns the submitter, or the reply that refuses the sign-in. Never rejects. */
export async function signIn(
  { services, signIns }: Pick<Shared, 'services' | 'signIns'>,
  transaction: Transaction,
  credentials: Credentials,
): Promise<Submitter | Reply> {
  const { everybody } = services;
  try {
    if (everybody !== null) {
      // Accepts any credentials that do not belong to another team.
      const party = await partyOfSignIn(services, credentials);
      if (party === null || party.owner === everybody.owner)
        return transaction.signIn(withUserName(everybody, credentials), Number.POSITIVE_INFINITY);
    }
    const { remoteAddress } = transaction;
    const submitter = await signInSubmitter(services, signIns, credentials, remoteAddress);
    return transaction.signIn(withUserName(submitter, credentials), performance.now());
  } catch (error) {
    const { refusals } = transaction;
    const reply = replyOf(error, services);
    void refusals.credentials(credentials, reply);
    refusals.signIn(reply);
    return reply;
  }
}

/** Returns null, or the reply if the session is no longer signed in. Never rejects. */
export async function confirmSignIn(
  { services }: Pick<Shared, 'services'>,
  transaction: Transaction,
): Promise<Reply | null> {
  const { signedIn } = transaction;
  if (signedIn === null || performance.now() - signedIn.checkedAt < recheckMs) return null;
  try {
    const isValid = await isSignedIn(services, signedIn.submitter);
    signedIn.checkedAt = performance.now();
    if (isValid) return null;
  } catch (error) {
    const reply = replyOf(error, services);
    transaction.refusals.signIn(reply);
    return reply;
  }
  const { refusals } = transaction;
  const reply = replies.signedOut;
  refusals.reply(reply, { team: signedIn.submitter.owner, stage: 'auth' });
  transaction.signOut();
  refusals.signIn(reply);
  return reply;
}

function replyOf(error: unknown, { log }: Pick<Shared['services'], 'log'>): Reply {
  if (error instanceof Unauthenticated) return replies.wrongCredentials;
  if (error instanceof InsufficientScope || error instanceof ForbiddenRole) return mayNotSend(error.message);
  if (error instanceof TooMany) return tooManyFailures(error.retryAfterMs);
  log.error({ err: error }, 'could not look up a submitter');
  return replies.cannotSignIn;
}
