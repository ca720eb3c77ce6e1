import type { Account, AccountStore } from '#core/accounts/account.ts';
import { parseAddress } from '#core/accounts/address.ts';
import type { RowReader } from '#core/change.ts';
import { found, Invalid, invalid, type Violation } from '#core/errors.ts';
import type { EventBus } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Trace } from '#core/messages/trace-context.ts';
import {
  type AcceptedRecipient,
  acceptRecipient,
  deliverySentences,
  refusalSentences,
} from './accept-recipient.ts';
import type { Addressees, Composed } from './compose.ts';
import type { DeliveryRefusal, DeliveryStore, DeliveryTarget, OverflowHandler } from './delivery.ts';
import type { FailureSimulator } from './failure-simulator.ts';
import { reportsOnMail } from './failure-simulator.ts';
import { type ArrivedMail, examineMail, inboxes } from './prepare-mail.ts';
import { prepareReports, type ReportPorts } from './prepare-reports.ts';
import { commitMail } from './receive-mail.ts';

type Ports = ReportPorts & {
  bus: EventBus;
  accounts: AccountStore;
  rows: RowReader;
  deliveries: DeliveryStore;
  clock: () => Date;
  overflow: OverflowHandler;
  receivedBy: string;
  failureSimulator: FailureSimulator;
};

/** Finds the account that sends a message. Throws NotFound, and Invalid if the account cannot send. */
export async function findSender(
  ports: Pick<Ports, 'accounts' | 'rows'>,
  owner: Id,
  accountId: Id,
): Promise<Account> {
  const account = found(await ports.accounts.find(owner, accountId));
  if (account.address.startsWith('*@'))
    throw invalid('account', "a catch-all address can't send: use another account");
  const domain = await ports.rows.read('domain', { team: owner, domain: account.domainId });
  if (!account.active || !domain?.active)
    throw invalid('account', `${account.address} or its domain is not active`);
  return account;
}

/**
 * Sends a message within the owner's own domains: delivers it like inbound mail, and adds a copy that is marked as read to Sent. Sends
 * nothing if it throws or if `signal` has aborted. `trace` is the request's trace. Throws Invalid with every address that cannot receive
 * mail.
 */
export async function sendMessage(
  ports: Ports,
  account: Account,
  { addressees, message }: Pick<Composed, 'addressees' | 'message'>,
  signal: AbortSignal,
  trace: Trace | null,
): Promise<void> {
  const { owner, address } = account;
  const receivedAt = ports.clock();
  const recipients = await checkAddresses(ports, owner, addressees);
  const mail: ArrivedMail = {
    ...{ mailFrom: address, helo: null, remoteAddress: null, tls: null, dsn: null, submitter: null },
    ...{ receivedBy: ports.receivedBy, receivedAt, smtpUtf8: true, submitted: true, recipients, trace },
  };
  const received = inboxes(mail);
  const copies = received.slice(0, 1).map((target) => copyInSent(target, account));
  const body = { bytes: message };
  const prepared = await examineMail(ports.examiner, mail, body, [...received, ...copies]);
  const asked = await reportsOnMail(ports.failureSimulator, owner, { arrived: mail, mail: prepared });
  const reports = await prepareReports(ports, { ...mail, reports: asked }, prepared, body);
  signal.throwIfAborted();
  const verdict = await commitMail(ports, prepared, reports);
  if ('reason' in verdict) throw refused(verdict, address);
}

function copyInSent(target: DeliveryTarget, account: Account): DeliveryTarget {
  return {
    ...target,
    owner: account.owner,
    accountId: account.id,
    mailbox: 'Sent',
    deliveredTo: account.address,
    tag: null,
    recipients: [],
  };
}

/** Finds the accounts of to, cc and bcc, in this order. Throws Invalid with every invalid address in any of these fields. */
async function checkAddresses(ports: Ports, owner: Id, mail: Addressees): Promise<AcceptedRecipient[]> {
  const violations: Violation[] = [];
  const recipients: AcceptedRecipient[] = [];
  if (mail.to.length === 0) violations.push({ field: 'to', message: 'must contain at least one address' });
  if (mail.to.length + mail.cc.length + mail.bcc.length > limits.http.recipients) {
    const message = `to, cc and bcc together may have at most ${limits.http.recipients} addresses`;
    throw invalid('to', message, 'http.recipients');
  }
  for (const field of ['to', 'cc', 'bcc'] as const) {
    for (const address of mail[field]) {
      const isPlain = parseAddress(address) !== null;
      const verdict = isPlain
        ? await acceptRecipient(ports, address, 0)
        : { refusal: 'bad-address' as const };
      // The error must not reveal whether another team's domain has such an account.
      if ('refusal' in verdict && (await isOwn(ports, owner, address))) {
        violations.push({ field, message: `${address}: ${refusalSentences[verdict.refusal]}` });
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

async function isOwn({ rows }: Ports, owner: Id, address: string): Promise<boolean> {
  const parsed = parseAddress(address);
  return parsed !== null && (await rows.read('domain', { team: owner, domain: parsed.domain })) !== null;
}

function foreign(address: string): string {
  return refusalSentences[parseAddress(address) === null ? 'bad-address' : 'unknown-domain'];
}

function refused({ address, reason }: DeliveryRefusal, sender: string): Invalid {
  const why = deliverySentences[reason];
  return address === sender ? invalid('account', `${sender} ${why}`) : invalid('to', `${address} ${why}`);
}
