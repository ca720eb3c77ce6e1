import type { EventBus } from '#core/events/event.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Arrival, MailExaminer } from '#core/messages/examine.ts';
import type { Dsn, TlsInfo } from '#core/messages/message.ts';
import type { AcceptedRecipient } from './accept-recipient.ts';
import type {
  Body,
  DeliveryStore,
  DeliveryTarget,
  DeliveryVerdict,
  Fullness,
  PreparedMail,
  Unfit,
} from './delivery.ts';
import { loadOf } from './delivery-record.ts';
import type { Submitter } from './submitter.ts';

type CommitPorts = {
  deliveries: Pick<DeliveryStore, 'commit'>;
  bus: EventBus;
  fullness: Omit<Fullness, 'diskRefused'>;
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
  const record = await ports.examiner.examine('bytes' in body ? body.bytes : body.raw, arrival);
  const targets = inboxes({ arrival, tls, dsn, recipients, submitter });
  const { receivedAt } = arrival;
  const verdict = await commitMail(ports, { body, sizeBytes, record, receivedAt, targets });
  if ('reason' in verdict) transmission.discard();
  return verdict;
}

/** Commits a mail and announces its events, as `commitMails` does. */
export async function commitMail(ports: CommitPorts, mail: PreparedMail): Promise<DeliveryVerdict> {
  const [verdict] = await commitMails(ports, [mail], false);
  if (verdict === undefined) throw new Error('the store gave no verdict');
  return verdict;
}

/**
 * Commits mails in one transaction, and announces their events. A lost announcement only delays them: the journal has them. Where
 * an account has no room, the mail is tried again as often as room was made. `wholly`: see DeliveryStore.
 */
export async function commitMails(
  { deliveries, bus, fullness }: CommitPorts,
  mails: PreparedMail[],
  wholly: boolean,
): Promise<DeliveryVerdict[]> {
  // Waits for mail that makes room. A commit meanwhile would take the room from it.
  await fullness.turns;
  const commit = (some: PreparedMail[]) => deliveries.commit(some, { wholly });
  const first = await commit(mails);
  const verdicts = wholly ? await untilFit(fullness, mails, first, commit) : first;
  for (const verdict of verdicts) announce(bus, verdict);
  if (wholly) return verdicts;
  const last: DeliveryVerdict[] = [];
  for (const [index, mail] of mails.entries()) {
    const own = verdicts.slice(index, index + 1);
    const again = await untilFit(fullness, [mail], own, commit);
    if (again !== own) for (const verdict of again) announce(bus, verdict);
    last.push(...again);
  }
  return last;
}

/**
 * Commits mails again while they are refused for want of room, as often as room is made. Mails make room one after the other,
 * since each would remove what another has just stored. Notes a refusal that stays.
 */
async function untilFit(
  fullness: CommitPorts['fullness'],
  mails: PreparedMail[],
  first: DeliveryVerdict[],
  commit: (mails: PreparedMail[]) => Promise<DeliveryVerdict[]>,
): Promise<DeliveryVerdict[]> {
  const found = unfitOf(mails, first);
  if (found === null) return first;
  const retry = async () => {
    let result = first;
    let unfit: Unfit | null = found;
    for (let round = 0; unfit !== null && round < limits.owned.dropRounds; round += 1) {
      if (!(await fullness.makeRoom(unfit))) break;
      result = await commit(mails);
      unfit = unfitOf(mails, result);
    }
    if (unfit !== null) fullness.accountRefused(unfit);
    return result;
  };
  return found.accountId === fullness.dropsOldest ? fullness.inTurn(retry) : retry();
}

/** Returns what mails lacked room for that were committed together. Null where they did not. */
function unfitOf(mails: PreparedMail[], verdicts: DeliveryVerdict[]): Unfit | null {
  const refused = verdicts.find((verdict) => 'reason' in verdict);
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
