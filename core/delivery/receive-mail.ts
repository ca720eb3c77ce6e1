import type { EventBus } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Arrival, MailExaminer } from '#core/messages/examine.ts';
import type { Dsn, TlsInfo } from '#core/messages/message.ts';
import type { AcceptedRecipient } from './accept-recipient.ts';
import type { Body, DeliveryStore, DeliveryTarget, DeliveryVerdict, PreparedMail } from './delivery.ts';
import { loadOf } from './delivery-record.ts';
import type { Fullness, Unfit } from './fullness.ts';
import type { Submitter } from './submitter.ts';

type CommitPorts = {
  deliveries: Pick<DeliveryStore, 'commit'>;
  bus: EventBus;
  fullness: Omit<Fullness, 'diskRefused'>;
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
  const commit = () => deliveries.commit(mail);
  await afterTurns(fullness, mail);
  const first = await commit();
  const verdict = await untilFit(fullness, [await mail], first, commit);
  announce(bus, verdict);
  return verdict;
}

/** Commits the mails of one request in one transaction, and announces their events. `wholly`: see DeliveryStore. */
export async function commitMails(
  ports: CommitTogetherPorts,
  promised: Promise<PreparedMail[]>,
  wholly: boolean,
): Promise<DeliveryVerdict[]> {
  const { deliveries, bus, fullness } = ports;
  const commit = () => deliveries.commitTogether(promised, { wholly });
  await afterTurns(fullness, promised);
  const first = await commit();
  const mails = await promised;
  const verdicts = wholly ? await untilFit(fullness, mails, first, commit) : first;
  for (const verdict of verdicts) announce(bus, verdict);
  if (wholly) return verdicts;
  const last: DeliveryVerdict[] = [];
  for (const [index, verdict] of verdicts.entries()) {
    const mail = mails[index];
    if (mail === undefined) continue;
    const again = await untilFit(fullness, [mail], verdict, () => deliveries.commit(mail));
    if (again !== verdict) announce(bus, again);
    last.push(again);
  }
  return last;
}

/** Waits for mail that makes room. A commit meanwhile would take the room from it. */
async function afterTurns({ turns }: CommitPorts['fullness'], prepared: unknown): Promise<void> {
  if (turns !== null) await Promise.all([turns, prepared]);
}

/**
 * Commits mails again while they are refused for want of room, as often as room is made. Mails make room one after the other,
 * since each would remove what another has just stored. Notes a refusal that stays.
 */
async function untilFit<Result extends DeliveryVerdict | DeliveryVerdict[]>(
  fullness: CommitPorts['fullness'],
  mails: PreparedMail[],
  first: Result,
  commit: () => Promise<Result>,
): Promise<Result> {
  const found = unfitOf(mails, first);
  if (found === null) return first;
  const retry = async () => {
    let result = first;
    let unfit: Unfit | null = found;
    for (let round = 0; unfit !== null && round < limits.owned.dropRounds; round += 1) {
      if (!(await fullness.makeRoom(unfit))) break;
      result = await commit();
      unfit = unfitOf(mails, result);
    }
    if (unfit !== null) fullness.accountRefused(unfit);
    return result;
  };
  return found.accountId === fullness.dropsOldest ? fullness.inTurn(retry) : retry();
}

/** Returns what mails lacked room for that were committed together. Null where they did not. */
function unfitOf(mails: PreparedMail[], result: DeliveryVerdict | DeliveryVerdict[]): Unfit | null {
  const refused = [result].flat().find((verdict) => 'reason' in verdict);
  if (refused?.reason !== 'no-room') return null;
  const targets = mails.flatMap((mail) => mail.targets);
  const target = targets.find(({ deliveredTo }) => deliveredTo === refused.address);
  if (target === undefined) return null;
  const { owner, accountId } = target;
  const load = mails
    .map((mail) => loadOf(mail, accountId))
    .reduce((sum, one) => ({ bytes: sum.bytes + one.bytes, messages: sum.messages + one.messages }));
  return { owner, accountId, load };
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
