import { splitTag } from '#core/accounts/address.ts';
import { addressFailure } from '#core/failures/address-failure.ts';
import { cutTexts } from '#core/failures/choose-failure.ts';

/** Facts about a refusal that its advice mentions. `address` is the first recipient; `name` is the name that signed in. */
type Facts = { address: string; domain: string; name: string; rcptTo: string[]; reply: string };

/** Causes of refusals, each with a sentence that says what to do. `on-purpose`: a failure that the team requested. */
const advice = {
  'bad-address': () =>
    'The recipient is not a valid address. Send to a bare address, for example qa@app.test.',
  'unknown-domain': ({ domain }) => `The domain ${domain} is not registered. Add it on the Domains page.`,
  'inactive-domain': ({ domain }) => `The domain ${domain} is inactive. Activate it.`,
  'unverified-domain': ({ domain }) => `The domain ${domain} is not verified. Point its MX record here.`,
  'no-such-account': ({ domain }) =>
    `The address does not exist on ${domain}. Create the account, or a catch-all.`,
  'inactive-account': ({ address }) => `The account for ${address} is inactive. Activate it.`,
  'no-room': ({ address }) =>
    `The account for ${address} is full. Delete messages, or raise its storage limit.`,
  'no-capture': ({ address }) =>
    `The address ${address} does not belong to the team. Turn on Capture for an account to receive such mail.`,
  'no-capture-setting': ({ domain }) =>
    `The domain ${domain} is not registered. Add it, or specify an account in SANDPOST_CAPTURE.`,
  'wrong-credentials': ({ name }) =>
    `The password for ${name} is wrong, or none is set. Set one, or sign in with an API key as the password.`,
  'may-not-send': ({ name }) =>
    `The API key ${name} cannot send. A member can create one with the send or full scope.`,
  'too-many-failures': () => 'Too many sign-ins have failed. Correct the password, and wait a minute.',
  'signed-out': () => 'The password or key has changed since the sign-in. Sign in again.',
  'too-large': () => 'The message is too large. Send a smaller one, or raise SANDPOST_MAX_MESSAGE_BYTES.',
  'mail-loop': () =>
    'The message passed through too many servers. Look for servers that forward it to each other.',
  'too-many-refused': () =>
    'The connection had too many refused recipients. Fix the earlier refusals, and connect again.',
  'parameters-too-long': () =>
    "The recipients' ORCPT parameters are too long in total. Send to fewer recipients at a time.",
  'connection-lost': () =>
    'The sender closed the connection before the message was complete. Check its timeouts, and send again.',
  'invalid-request': () => 'The provider would also refuse this request. The reply names the field.',
  'too-many-requests': () =>
    "The key's user sent too many requests. Send fewer at a time, and try again later.",
  'store-full': () => "Sandpost's disk is full. Delete messages, or enlarge the disk.",
  'too-many-recipients': () => 'The message has too many recipients. Send it to the rest separately.',
  'too-many-connections': () =>
    'The sender has too many open connections. Use fewer connections at a time, or raise SANDPOST_SMTP_MAX_CONNECTIONS_PER_ADDRESS.',
  'bad-command': () => 'The command is invalid or out of order. The reply explains why. Fix the client.',
  idle: () =>
    'The sender kept a connection open without sending anything. Make it reconnect for its next message.',
  'try-again': () => 'Sandpost could not accept the message at that time. Send it again.',
  'on-purpose': ({ rcptTo, reply }) => {
    const failing = rcptTo.find((one) => asksFor(one, reply));
    if (failing !== undefined)
      return `The +fail-… part of ${failing} triggers a simulated failure. Remove it to receive mail normally.`;
    return "One of the team's failure rules caused this refusal. If it is still active, pause or delete it, or use another address.";
  },
} satisfies Record<string, (facts: Facts) => string>;

export type Reason = keyof typeof advice;

export const reasons = Object.keys(advice).filter((name): name is Reason => Object.hasOwn(advice, name));

/** Returns a sentence that says what to do about a refusal. */
export function adviceOf({
  reason,
  reply,
  rcptTo,
  authenticatedAs,
}: Pick<Facts, 'reply' | 'rcptTo'> & { reason: Reason; authenticatedAs: { name: string } | null }): string {
  const [address = 'the recipient'] = rcptTo;
  const domain = rcptTo[0]?.slice(rcptTo[0].lastIndexOf('@') + 1) ?? 'its domain';
  return advice[reason]({ address, domain, name: authenticatedAs?.name ?? 'the account', rcptTo, reply });
}

/** Checks whether an address would itself request this reply, if its account simulated failures. */
function asksFor(address: string, reply: string): boolean {
  const failure = addressFailure(splitTag(address.slice(0, address.lastIndexOf('@'))).tag);
  return failure !== null && reply === (failure.action === 'drop' ? cutTexts.drop : failure.reply);
}
