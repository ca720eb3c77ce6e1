import { splitTag } from '#core/accounts/address.ts';
import { addressFailure } from '#core/failures/address-failure.ts';
import { cutTexts } from '#core/failures/choose-failure.ts';

/** Causes of refusals. `on-purpose`: a failure that the team asked for. */
export const reasons = [
  'bad-address',
  'unknown-domain',
  'inactive-domain',
  'unverified-domain',
  'no-such-account',
  'inactive-account',
  'no-room',
  'no-capture',
  'no-capture-setting',
  'wrong-credentials',
  'may-not-send',
  'too-many-failures',
  'signed-out',
  'too-large',
  'mail-loop',
  'too-many-refused',
  'parameters-too-long',
  'connection-lost',
  'invalid-request',
  'too-many-requests',
  'store-full',
  'too-many-recipients',
  'too-many-connections',
  'bad-command',
  'idle',
  'try-again',
  'on-purpose',
] as const;
export type Reason = (typeof reasons)[number];

type Facts = { reason: Reason; reply: string; rcptTo: string[]; authenticatedAs: { name: string } | null };

/** Returns a sentence on what to do about a refusal. */
export function adviceOf({ reason, reply, rcptTo, authenticatedAs }: Facts): string {
  const [address = 'the recipient'] = rcptTo;
  const domain = rcptTo[0]?.slice(rcptTo[0].lastIndexOf('@') + 1) ?? 'its domain';
  const name = authenticatedAs?.name ?? 'the account';
  switch (reason) {
    case 'bad-address':
      return 'The recipient is no address: send to a bare one such as qa@app.test.';
    case 'unknown-domain':
      return `The domain ${domain} is not registered: add it on the page Domains.`;
    case 'inactive-domain':
      return `The domain ${domain} is not active: activate it.`;
    case 'unverified-domain':
      return `The domain ${domain} is not verified: point its MX record here.`;
    case 'no-such-account':
      return `The address does not exist on ${domain}: create the account, or make a catch-all.`;
    case 'inactive-account':
      return `The account for ${address} is not active: activate it.`;
    case 'no-room':
      return `The account for ${address} is full: delete messages, or raise its storage limit.`;
    case 'no-capture':
      return `The address ${address} is not of the team: turn Capture on for an account, which then takes such mail.`;
    case 'no-capture-setting':
      return `The domain ${domain} is not registered: add it, or name an account in SANDPOST_CAPTURE.`;
    case 'wrong-credentials':
      return `The password for ${name} is wrong, or it has none: set one, or sign in with an API key as the password.`;
    case 'may-not-send':
      return `The API key ${name} may not send: make one of the scope send or full, by a member.`;
    case 'too-many-failures':
      return 'Too many sign-ins have failed: correct the password, and wait for a minute.';
    case 'signed-out':
      return 'The password or the key has changed since the sign-in: sign in again.';
    case 'too-large':
      return 'The mail is too large: send a smaller one, or raise SANDPOST_MAX_MESSAGE_BYTES.';
    case 'mail-loop':
      return 'The mail has passed too many servers: look for servers that forward it to each other.';
    case 'too-many-refused':
      return 'The connection had too many refused recipients: see the earlier ones, and connect again.';
    case 'parameters-too-long':
      return 'The parameters ORCPT of its recipients are too long together: send it to fewer at a time.';
    case 'connection-lost':
      return 'The sender closed the connection within the mail: look for its time-outs, and send it again.';
    case 'invalid-request':
      return 'The request was not as the provider takes it: see the reply for the field.';
    case 'too-many-requests':
      return 'The user of the key makes too many requests: send fewer at a time, and try again later.';
    case 'store-full':
      return 'The disk of Sandpost is full: delete messages, or give it a larger one.';
    case 'too-many-recipients':
      return 'The mail has too many recipients: send it to the others in another one.';
    case 'too-many-connections':
      return 'The sender has too many connections: let it use fewer at a time, or raise SANDPOST_SMTP_MAX_CONNECTIONS_PER_ADDRESS.';
    case 'bad-command':
      return 'The command was not as SMTP has it, or out of its order: see the reply, and correct what sends it.';
    case 'idle':
      return 'The sender kept a connection open and sent nothing: let it connect again for its next mail.';
    case 'try-again':
      return 'Sandpost could not take it at that moment: send it again.';
    case 'on-purpose': {
      const failing = rcptTo.find((one) => asksFor(one, reply));
      if (failing !== undefined)
        return `The address ${failing} itself asks for it, since its account simulates failures: use another address.`;
      return 'A failure of the team asked for it: remove it from the list of failures, or use another address.';
    }
  }
}

/** Checks whether an address by itself asks for this reply, if its account simulates failures. */
function asksFor(address: string, reply: string): boolean {
  const failure = addressFailure(splitTag(address.slice(0, address.lastIndexOf('@'))).tag);
  return failure !== null && reply === (failure.action === 'drop' ? cutTexts.drop : failure.reply);
}
