import type { EventBus } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import type { Arrival, MailExaminer } from '#core/messages/examine.ts';
import type { AcceptedRecipient } from './accept-recipient.ts';
import type { Body, DeliveryTarget, DeliveryVerdict, PreparedMail } from './delivery.ts';
import type { Commit } from './group-commit.ts';

export type DeliverPorts = {
  examiner: MailExaminer;
  commit: Commit;
  bus: EventBus;
};

/** A mail as it came: its bytes, how it came, and who takes it. */
export type IncomingMail = {
  body: Body;
  sizeBytes: number;
  arrival: Arrival;
  tls: boolean;
  recipients: AcceptedRecipient[];
};

/**
 * Examines a mail, stores it durably, then tells of it. One message an account: recipients that reach the same one
 * share it. The answer is final: a lost announcement changes nothing. Throws StoreUnavailable.
 */
export async function deliverMail(ports: DeliverPorts, mail: IncomingMail): Promise<DeliveryVerdict> {
  const { body, sizeBytes, arrival } = mail;
  const { receivedAt } = arrival;
  const prepare = async (): Promise<PreparedMail> => {
    const content = await ports.examiner.examine('bytes' in body ? body.bytes : body.raw, arrival);
    return { body, sizeBytes, content, receivedAt, targets: inboxes(mail) };
  };
  return commitMail(ports, prepare());
}

/** Commits a mail and announces its events. */
export async function commitMail(
  { commit, bus }: Pick<DeliverPorts, 'commit' | 'bus'>,
  mail: PreparedMail | Promise<PreparedMail>,
): Promise<DeliveryVerdict> {
  const verdict = await commit(mail);
  if ('ids' in verdict) {
    for (const { owner, events } of verdict.commits) bus.announce(owner, events);
  }
  return verdict;
}

/** One target an account; each owner sees only the recipients that are their own (Bcc of others stays blind). */
export function inboxes({ arrival, tls, recipients }: IncomingMail): DeliveryTarget[] {
  const first = new Map<Id, AcceptedRecipient>();
  for (const recipient of recipients) {
    if (!first.has(recipient.accountId)) first.set(recipient.accountId, recipient);
  }
  return [...first.values()].map(({ owner, accountId, address, tag }) => ({
    owner,
    accountId,
    mailbox: 'INBOX',
    deliveredTo: address,
    tag,
    envelope: {
      mailFrom: arrival.mailFrom,
      rcptTo: recipients.filter((other) => other.owner === owner).map((other) => other.address),
      helo: arrival.helo,
      remoteAddress: arrival.remoteAddress,
      tls,
      receivedBy: arrival.receivedBy,
    },
  }));
}
