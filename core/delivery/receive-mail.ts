import type { EventBus } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Arrival, MailExaminer } from '#core/messages/examine.ts';
import type { Dsn, TlsInfo } from '#core/messages/message.ts';
import type { AcceptedRecipient } from './accept-recipient.ts';
import type { Body, DeliveryStore, DeliveryTarget, DeliveryVerdict, PreparedMail } from './delivery.ts';
import { loadOf } from './delivery-record.ts';
import type { Fullness } from './fullness.ts';
import type { Submitter } from './submitter.ts';

type CommitPorts = {
  deliveries: Pick<DeliveryStore, 'commit'>;
  bus: EventBus;
  fullness: Pick<Fullness, 'makeRoom' | 'accountRefused'>;
};
type CommitTogetherPorts = Omit<CommitPorts, 'deliveries'> & {
  deliveries: Pick<DeliveryStore, 'commit' | 'commitTogether'>;
};

export type ReceivePorts = CommitPorts & {
  examiner: MailExaminer;
  clock: () => Date;
  /** Name of this host in `Received` fields and audits. */
  receivedBy: string;
};

/**
 * Envelope of a mail whose recipients were accepted. `helo`: name that the client gave. `submitter`: who signed in; all of
 * the recipients are theirs then.
 */
export type MailEnvelope = {
  mailFrom: string;
  helo: string;
  remoteAddress: string;
  smtpUtf8: boolean;
  recipients: AcceptedRecipient[];
  submitter: Submitter | null;
  tls: TlsInfo | null;
  dsn: Dsn | null;
};

/** Content of a mail, collected while it was transmitted. */
export type Transmission = {
  readonly sizeBytes: number;
  /** Returns the content. A transmission that refuses its content throws, and has discarded it. */
  finish(): Promise<Body>;
  /** Removes content that was written to the store. */
  discard(): void;
};

/**
 * Receives a mail whose transmission has ended: *examine*, *commit*, *announce*. Resolves after the durable commit, with the
 * ids of the messages or a refusal. Throws what the transmission, the examiner or the store throws.
 *
 * One rule for content that was not committed: it is discarded where the store answered with a refusal. After an error it
 * stays, because the commit may have happened; upkeep removes content that no message has.
 */
export async function receiveMail(
  ports: ReceivePorts,
  envelope: MailEnvelope,
  transmission: Transmission,
): Promise<DeliveryVerdict> {
  const { recipients, submitter, tls, dsn, ...peer } = envelope;
  const { sizeBytes } = transmission;
  const { receivedBy } = ports;
  const arrival: Arrival = { ...peer, receivedBy, receivedAt: ports.clock(), submitted: false };
  const body = await transmission.finish();
  const examine = async (): Promise<PreparedMail> => {
    const record = await ports.examiner.examine('bytes' in body ? body.bytes : body.raw, arrival);
    const targets = inboxes({ arrival, tls, dsn, recipients, submitter });
    return { body, sizeBytes, record, receivedAt: arrival.receivedAt, targets };
  };
  const verdict = await commitMail(ports, examine());
  if ('reason' in verdict) transmission.discard();
  return verdict;
}

/**
 * Commits a mail and announces its events. A lost announcement only delays them: the journal has them. Where an account has no
 * room, the mail is tried again as often as room was made.
 */
export async function commitMail(
  { deliveries, bus, fullness }: CommitPorts,
  mail: PreparedMail | Promise<PreparedMail>,
): Promise<DeliveryVerdict> {
  for (let round = 0; ; round += 1) {
    const verdict = await deliveries.commit(mail);
    if (await mayFit(fullness, [await mail], verdict, round)) continue;
    announce(bus, verdict);
    return verdict;
  }
}

/** Commits the mails of one request in one transaction, and announces their events. `wholly`: see DeliveryStore. */
export async function commitMails(
  ports: CommitTogetherPorts,
  promised: Promise<PreparedMail[]>,
  wholly: boolean,
): Promise<DeliveryVerdict[]> {
  const { deliveries, bus, fullness } = ports;
  for (let round = 0; ; round += 1) {
    const verdicts = await deliveries.commitTogether(promised, { wholly });
    const mails = await promised;
    const refused = verdicts.find((verdict) => 'reason' in verdict);
    if (wholly && refused !== undefined && (await mayFit(fullness, mails, refused, round))) continue;
    for (const verdict of verdicts) announce(bus, verdict);
    if (wholly) return verdicts;
    const again: DeliveryVerdict[] = [];
    for (const [index, verdict] of verdicts.entries()) {
      const mail = mails[index];
      const isRetried = mail !== undefined && (await mayFit(fullness, [mail], verdict, 0));
      again.push(isRetried ? await commitMail(ports, mail) : verdict);
    }
    return again;
  }
}

/** Makes some room for mails that were refused together. Returns false, and notes it, where they stay refused for want of room. */
async function mayFit(
  fullness: CommitPorts['fullness'],
  mails: PreparedMail[],
  verdict: DeliveryVerdict,
  round: number,
): Promise<boolean> {
  if (!('reason' in verdict) || verdict.reason !== 'no-room') return false;
  const targets = mails.flatMap((mail) => mail.targets);
  const target = targets.find(({ deliveredTo }) => deliveredTo === verdict.address);
  if (target === undefined) return false;
  const { owner, accountId } = target;
  const load = mails
    .map((mail) => loadOf(mail, accountId))
    .reduce((sum, one) => ({ bytes: sum.bytes + one.bytes, messages: sum.messages + one.messages }));
  const unfit = { owner, accountId, load };
  if (round < limits.owned.dropRounds && (await fullness.makeRoom(unfit))) return true;
  fullness.accountRefused(unfit);
  return false;
}

function announce(bus: EventBus, verdict: DeliveryVerdict): void {
  if ('reason' in verdict) return;
  for (const { owner, events } of verdict.commits) bus.announce(owner, events);
}

/**
 * Gives one target an account: recipients that reach the same one share a message. Each owner sees only its own recipients,
 * so that Bcc recipients of others stay blind.
 */
export function inboxes({
  arrival,
  tls,
  dsn,
  recipients,
  submitter,
}: Pick<MailEnvelope, 'tls' | 'dsn' | 'recipients' | 'submitter'> & { arrival: Arrival }): DeliveryTarget[] {
  const first = new Map<Id, AcceptedRecipient>();
  for (const recipient of recipients) {
    if (!first.has(recipient.accountId)) first.set(recipient.accountId, recipient);
  }
  return [...first.values()].map(({ owner, accountId, address, tag }) => {
    const rcptTo = recipients.filter((other) => other.owner === owner).map((other) => other.address);
    const envelope = {
      mailFrom: arrival.mailFrom,
      rcptTo,
      helo: arrival.helo,
      remoteAddress: arrival.remoteAddress,
      tls: tls !== null,
      receivedBy: arrival.receivedBy,
      authenticatedAs: submitter && { kind: submitter.kind, name: submitter.name },
      tlsInfo: tls,
      dsn: dsn && {
        ...dsn,
        recipients: dsn.recipients.filter((recipient) => rcptTo.includes(recipient.address)),
      },
    };
    return { owner, accountId, mailbox: 'INBOX', deliveredTo: address, tag, envelope };
  });
}
