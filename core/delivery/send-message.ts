import type { Account, AccountStore } from '#core/accounts/account.ts';
import { parseAddress } from '#core/accounts/address.ts';
import type { DomainStore } from '#core/domains/domain.ts';
import { Invalid, invalid, NotFound, type Violation } from '#core/errors.ts';
import type { EventBus } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Arrival, MailExaminer } from '#core/messages/examine.ts';
import { type AcceptedRecipient, acceptRecipient, type RecipientRefusal } from './accept-recipient.ts';
import type { Addressees, DraftRequest, MailComposer } from './compose.ts';
import type { DeliveryStore, DeliveryTarget } from './delivery.ts';
import { commitMail, inboxes } from './receive-mail.ts';

type Ports = {
  examiner: MailExaminer;
  bus: EventBus;
  accounts: AccountStore;
  domains: DomainStore;
  deliveries: DeliveryStore;
  composer: MailComposer;
  clock: () => Date;
  requireVerified: boolean;
  receivedBy: string;
  maxMessageBytes: number;
};

/** Finds the account that a message is sent from. Throws NotFound, and Invalid for an account that cannot send. */
export async function findSender(
  ports: Pick<Ports, 'accounts' | 'domains'>,
  owner: Id,
  accountId: Id,
): Promise<Account> {
  const account = await ports.accounts.find(owner, accountId);
  if (account === null) throw new NotFound();
  if (account.address.startsWith('*@'))
    throw invalid('account', 'a wildcard address cannot send: use another account');
  const domain = await ports.domains.find(owner, account.domainId);
  if (!account.active || !domain?.active)
    throw invalid('account', `${account.address} or its domain is not active`);
  return account;
}

/**
 * Sends within the owner's own domains: the same delivery as inbound mail, and a copy, read, to Sent. All or nothing.
 * Throws Invalid that names each address that cannot be written to.
 */
export async function sendMessage(ports: Ports, account: Account, request: DraftRequest): Promise<void> {
  const { owner, address } = account;
  const now = ports.clock();
  const messageIdDomain = address.slice(address.lastIndexOf('@') + 1);
  const origin = { from: address, date: now, messageIdDomain };
  const { addressees, message } = await ports.composer.compose(owner, request, origin, ports.maxMessageBytes);
  const recipients = await checkAddresses(ports, owner, addressees);
  const arrival: Arrival = {
    mailFrom: address,
    helo: null,
    remoteAddress: null,
    receivedBy: ports.receivedBy,
    receivedAt: now,
    smtpUtf8: true,
    submitted: true,
  };
  const body = { bytes: message };
  const record = await ports.examiner.examine(message, arrival);
  const received = inboxes({ arrival, tls: null, dsn: null, recipients, submitter: null });
  const targets = [...received, ...received.slice(0, 1).map((target) => copyInSent(target, account))];
  const verdict = await commitMail(ports, {
    body,
    sizeBytes: message.length,
    record,
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

/** Finds the accounts of to, cc and bcc, in this order. Throws Invalid that names each bad address of any field. */
async function checkAddresses(ports: Ports, owner: Id, mail: Addressees): Promise<AcceptedRecipient[]> {
  const violations: Violation[] = [];
  const recipients: AcceptedRecipient[] = [];
  if (mail.to.length === 0) violations.push({ field: 'to', message: 'must name at least one address' });
  if (mail.to.length + mail.cc.length + mail.bcc.length > limits.http.recipients) {
    const message = `to, cc and bcc may name at most ${limits.http.recipients} addresses together`;
    throw invalid('to', message, 'http.recipients');
  }
  for (const field of ['to', 'cc', 'bcc'] as const) {
    for (const address of mail[field]) {
      const verdict = await acceptRecipient(ports, address, 0);
      // The message does not reveal whether a domain of another user has such an account.
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
