import { splitTag } from '#core/accounts/address.ts';
import { addressFailure } from '#core/failures/address-failure.ts';
import { cutTexts } from '#core/failures/choose-failure.ts';

/** Facts of a refusal that its advice names. `address` is the first recipient, `name` that of who signed in. */
type Facts = { address: string; domain: string; name: string; rcptTo: string[]; reply: string };

/** Causes of refusals, each with a sentence on what to do. `on-purpose`: a failure that the team asked for. */
const advice = {
  'bad-address': () => 'The recipient is no address: send to a bare one such as qa@app.test.',
  'unknown-domain': ({ domain }) => `The domain ${domain} is not registered: add it on the page Domains.`,
  'inactive-domain': ({ domain }) => `The domain ${domain} is not active: activate it.`,
  'unverified-domain': ({ domain }) => `The domain ${domain} is not verified: point its MX record here.`,
  'no-such-account': ({ domain }) =>
    `The address does not exist on ${domain}: create the account, or make a catch-all.`,
  'inactive-account': ({ address }) => `The account for ${address} is not active: activate it.`,
  'no-room': ({ address }) =>
    `The account for ${address} is full: delete messages, or raise its storage limit.`,
  'no-capture': ({ address }) =>
    `The address ${address} is not of the team: turn Capture on for an account, which then takes such mail.`,
  'no-capture-setting': ({ domain }) =>
    `The domain ${domain} is not registered: add it, or name an account in SANDPOST_CAPTURE.`,
  'wrong-credentials': ({ name }) =>
    `The password for ${name} is wrong, or it has none: set one, or sign in with an API key as the password.`,
  'may-not-send': ({ name }) =>
    `The API key ${name} may not send: make one of the scope send or full, by a member.`,
  'too-many-failures': () => 'Too many sign-ins have failed: correct the password, and wait for a minute.',
  'signed-out': () => 'The password or the key has changed since the sign-in: sign in again.',
  'too-large': () => 'The mail is too large: send a smaller one, or raise SANDPOST_MAX_MESSAGE_BYTES.',
  'mail-loop': () => 'The mail has passed too many servers: look for servers that forward it to each other.',
  'too-many-refused': () =>
    'The connection had too many refused recipients: see the earlier ones, and connect again.',
  'parameters-too-long': () =>
    'The parameters ORCPT of its recipients are too long together: send it to fewer at a time.',
  'connection-lost': () =>
    'The sender closed the connection within the mail: look for its time-outs, and send it again.',
  'invalid-request': () => 'The request was not as the provider takes it: see the reply for the field.',
  'too-many-requests': () =>
    'The user of the key makes too many requests: send fewer at a time, and try again later.',
  'store-full': () => 'The disk of Sandpost is full: delete messages, or give it a larger one.',
  'too-many-recipients': () => 'The mail has too many recipients: send it to the others in another one.',
  'too-many-connections': () =>
    'The sender has too many connections: let it use fewer at a time, or raise SANDPOST_SMTP_MAX_CONNECTIONS_PER_ADDRESS.',
  'bad-command': () =>
    'The command was not as SMTP has it, or out of its order: see the reply, and correct what sends it.',
  idle: () => 'The sender kept a connection open and sent nothing: let it connect again for its next mail.',
  'try-again': () => 'Sandpost could not take it at that moment: send it again.',
  'on-purpose': ({ rcptTo, reply }) => {
    const failing = rcptTo.find((one) => asksFor(one, reply));
    if (failing !== undefined)
      return `The address ${failing} itself asks for it, since its account simulates failures: use another address.`;
    return 'A failure of the team asked for it: remove it from the list of failures, or use another address.';
  },
} satisfies Record<string, (facts: Facts) => string>;

export type Reason = keyof typeof advice;

export const reasons = Object.keys(advice).filter((name): name is Reason => Object.hasOwn(advice, name));

/** Returns a sentence on what to do about a refusal. */
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

/** Checks whether an address by itself asks for this reply, if its account simulates failures. */
function asksFor(address: string, reply: string): boolean {
  const failure = addressFailure(splitTag(address.slice(0, address.lastIndexOf('@'))).tag);
  return failure !== null && reply === (failure.action === 'drop' ? cutTexts.drop : failure.reply);
}
