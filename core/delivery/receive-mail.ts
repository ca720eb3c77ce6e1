import type { EventBus } from '#core/events/event.ts';
import { limits } from '#core/limits.ts';
import type { MailExaminer } from '#core/messages/examine.ts';
import type { Body, DeliveryStore, DeliveryVerdict, Fullness, PreparedMail, Unfit } from './delivery.ts';
import { type ArrivedMail, examineMail, loadOf } from './prepare-mail.ts';

type CommitPorts = {
  deliveries: Pick<DeliveryStore, 'commit'>;
  bus: EventBus;
  fullness: Omit<Fullness, 'diskRefused'>;
};

export type ReceivePorts = CommitPorts & { examiner: MailExaminer };

/** Content of a mail, collected while it was transmitted. */
export type Transmission = {
  /** Returns the content. A transmission that refuses its content throws, and has discarded it. */
  finish(): Promise<Body>;
  /** Removes content that was written to the store. */
  discard(): void;
};

/**
 * Receives a mail whose transmission has ended: *examine*, *commit*, *announce*. Resolves after the durable commit, with the
 * ids of the messages or a refusal. Throws what the transmission, the examiner or the store throws.
 *
 * One rule for content that was not committed: it is discarded where the store answered with a refusal, or a rule discards the mail. After an error it
 * stays, because the commit may have happened; upkeep removes content that no message has.
 */
export async function receiveMail(
  ports: ReceivePorts,
  mail: ArrivedMail,
  transmission: Transmission,
): Promise<DeliveryVerdict> {
  const prepared = await examineMail(ports.examiner, mail, await transmission.finish());
  const verdict = await commitMail(ports, prepared);
  if ('reason' in verdict || verdict.ids.length === 0) transmission.discard();
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
