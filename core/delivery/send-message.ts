import type { Account, AccountStore } from '#core/accounts/account.ts';
import { parseAddress } from '#core/accounts/address.ts';
import type { DomainStore } from '#core/domains/domain.ts';
import { Invalid, invalid, NotFound, type Violation } from '#core/errors.ts';
import type { Id } from '#core/ids.ts';
import type { Arrival } from '#core/messages/examine.ts';
import { type AcceptedRecipient, acceptRecipient, type RecipientRefusal } from './accept-recipient.ts';
import type { MailComposer } from './compose.ts';
import { commitMail, type DeliverPorts, inboxes } from './deliver-mail.ts';
import type { DeliveryStore, DeliveryTarget } from './delivery.ts';

/** What the API takes; every address must be a bare one on a domain of the sender's owner. */
export type Outgoing = {
  to: string[];
  cc: string[];
  bcc: string[];
  replyTo: string[];
  subject: string;
  text: string | null;
  html: string | null;
};

type Ports = DeliverPorts & {
  accounts: AccountStore;
  domains: DomainStore;
  deliveries: DeliveryStore;
  composer: MailComposer;
  clock: () => Date;
  requireVerified: boolean;
  receivedBy: string;
  maxMessageBytes: number;
};

const mostRecipients = 100;

/**
 * Sends within the owner's own domains: the same delivery as inbound mail, and a copy, read, to Sent. All or nothing.
 * Throws NotFound, and Invalid that names each address that cannot be written to.
 */
export async function sendMessage(ports: Ports, owner: Id, accountId: Id, mail: Outgoing): Promise<void> {
  const account = await ports.accounts.find(owner, accountId);
  if (account === null) throw new NotFound();
  await checkSender(ports, owner, account);
  if (/[\r\n\0]/.test(mail.subject)) throw invalid('subject', 'must not contain line breaks or NUL');
  const recipients = await checkAddresses(ports, owner, mail);

  const now = ports.clock();
  const { address } = account;
  const messageIdDomain = address.slice(address.lastIndexOf('@') + 1);
  const bytes = await ports.composer.compose({ ...mail, from: address, date: now, messageIdDomain });
  if (bytes.length > ports.maxMessageBytes)
    throw invalid('text', `makes a message over ${ports.maxMessageBytes} bytes`);
  const arrival: Arrival = {
    mailFrom: address,
    rcptTo: recipients.map((recipient) => recipient.address),
    helo: null,
    remoteAddress: null,
    receivedBy: ports.receivedBy,
    receivedAt: now,
    smtpUtf8: true,
    submitted: true,
  };
  const body = { bytes };
  const content = await ports.examiner.examine(bytes, arrival);
  const received = inboxes({ body, sizeBytes: bytes.length, arrival, tls: false, recipients });
  const targets = [...received, ...received.slice(0, 1).map((target) => copyInSent(target, account))];
  const verdict = await commitMail(ports, {
    body,
    sizeBytes: bytes.length,
    content,
    receivedAt: now,
    targets,
  });
  if ('reason' in verdict) throw refused(verdict.address, address, verdict.reason);
}

function copyInSent(target: DeliveryTarget, account: Account): DeliveryTarget {
  return {
    ...target,
    owner: account.owner,
    accountId: account.id,
    mailbox: 'Sent',
    deliveredTo: account.address,
    tag: null,
  };
}

async function checkSender(ports: Ports, owner: Id, account: Account): Promise<void> {
  if (account.address.startsWith('*@'))
    throw invalid('account', 'a wildcard address cannot send: use another account');
  const domain = await ports.domains.find(owner, account.domainId);
  if (!account.active || !domain?.active)
    throw invalid('account', `${account.address} or its domain is not active`);
}

/** The recipients as accounts, in the order to, cc, bcc. Throws Invalid naming each bad address of any field. */
async function checkAddresses(ports: Ports, owner: Id, mail: Outgoing): Promise<AcceptedRecipient[]> {
  const violations: Violation[] = [];
  const recipients: AcceptedRecipient[] = [];
  if (mail.to.length === 0) violations.push({ field: 'to', message: 'must name at least one address' });
  if (mail.to.length + mail.cc.length + mail.bcc.length > mostRecipients) {
    throw invalid('to', `to, cc and bcc may name at most ${mostRecipients} addresses together`);
  }
  for (const field of ['to', 'cc', 'bcc'] as const) {
    for (const address of mail[field]) {
      const verdict = await acceptRecipient(ports, address, 0);
      // Whether a stranger's domain has such an account is not told.
      if ('refusal' in verdict && (await isOwn(ports, owner, address))) {
        violations.push({ field, message: `${address}: ${sentences[verdict.refusal]}` });
      } else if ('refusal' in verdict || verdict.owner !== owner) {
        violations.push({ field, message: `${address}: ${foreign(address)}` });
      } else recipients.push(verdict);
    }
  }
  for (const address of mail.replyTo) {
    if (!(await isOwn(ports, owner, address))) {
      violations.push({ field: 'replyTo', message: `${address}: ${foreign(address)}` });
    }
  }
  if (violations.length > 0) throw new Invalid(violations);
  return recipients;
}

async function isOwn({ domains }: Ports, owner: Id, address: string): Promise<boolean> {
  const parsed = parseAddress(address);
  return parsed !== null && (await domains.findByName(owner, parsed.domain)) !== null;
}

const sentences: Record<RecipientRefusal, string> = {
  'bad-address': 'must be a bare address such as qa@app.test',
  'unknown-domain': 'is not on one of your domains',
  'inactive-domain': 'its domain is not active',
  'unverified-domain': 'its domain is not verified',
  'no-such-account': 'no account takes mail for it',
  'inactive-account': 'its account is not active',
  'no-room': 'its account has no room',
};

function foreign(address: string): string {
  return sentences[parseAddress(address) === null ? 'bad-address' : 'unknown-domain'];
}

function refused(address: string, sender: string, reason: 'gone' | 'inactive' | 'no-room'): Invalid {
  const why = { gone: 'is no longer there', inactive: 'is not active', 'no-room': 'has no room' }[reason];
  return address === sender ? invalid('account', `${sender} ${why}`) : invalid('to', `${address} ${why}`);
}
