import type { EventBus } from '#core/events/event.ts';
import type { ReportRequest } from '#core/failures/report-fields.ts';
import { limits } from '#core/limits.ts';
import type {
  Body,
  DeliveryStore,
  DeliveryVerdict,
  Overflow,
  OverflowHandler,
  PreparedMail,
} from './delivery.ts';
import { type ArrivedMail, examineMail, loadOf } from './prepare-mail.ts';
import { prepareReports, type ReportPorts } from './prepare-reports.ts';

type CommitPorts = {
  deliveries: Pick<DeliveryStore, 'commit'>;
  bus: EventBus;
  overflow: Omit<OverflowHandler, 'diskRefused'>;
};

export type ReceivePorts = CommitPorts & ReportPorts;

/** Decides on an examined email. Returns a refusal, or null and the reports on the email. */
export type Judge<Refusal> = (
  prepared: PreparedMail,
) => Promise<{ refusal: Refusal | null; reports: ReportRequest[] }>;

/** Content of an email, collected during its transmission. */
export type Transmission = {
  /** Returns the content. If the transmission refuses its content, discards it and throws. */
  finish(): Promise<Body>;
  /** Removes content that was already written to the store. */
  discard(): void;
};

/**
 * Receives an email after its transmission: *examine*, *judge*, *report*, *commit*, *announce*. `judge` is null if no failure may be
 * simulated. Resolves after the durable commit, with the message ids or a refusal. Throws what the transmission, the examiner or the
 * store throws.
 *
 * Discards content that was not committed if the store answered with a refusal, or a rule discards the email. After an error the
 * content stays, because the commit may have happened; upkeep removes content without a message.
 */
export async function receiveMail<Refusal>(
  ports: ReceivePorts,
  mail: ArrivedMail,
  transmission: Transmission,
  judge: Judge<Refusal> | null,
): Promise<DeliveryVerdict | { refusal: Refusal }> {
  const body = await transmission.finish();
  const prepared = await examineMail(ports.examiner, mail, body);
  const { refusal, reports } = judge === null ? unjudged : await judge(prepared);
  if (refusal !== null) {
    transmission.discard();
    return { refusal };
  }
  const mayReport = reports.length > 0 || mail.dsn !== null;
  const reporting = mayReport ? await prepareReports(ports, { ...mail, reports }, prepared, body) : [];
  const verdict = await commitMail(ports, prepared, reporting);
  if ('reason' in verdict || verdict.ids.length === 0) transmission.discard();
  return verdict;
}

const unjudged = { refusal: null, reports: [] };

/** Commits an email together with the reports on it and announces their events, as `commitMails` does. */
export async function commitMail(
  ports: CommitPorts,
  mail: PreparedMail,
  reports: PreparedMail[],
): Promise<DeliveryVerdict> {
  const [verdict] = await commitMails(ports, [{ mail, reports }], false);
  if (verdict === undefined) throw new Error('the store returned no result');
  return verdict;
}

/** Emails that are either all stored or none, together with the reports on them. */
type Group = { mails: PreparedMail[]; reports: PreparedMail[] };

/**
 * Commits emails in one transaction, and announces their events. A lost announcement only delays the events, because the journal has
 * them. If an account is full, retries the email each time space is freed. `wholly`: see DeliveryStore. Stores each email together with
 * its reports, or without them if they cannot be stored. Returns the verdicts on the emails.
 */
export async function commitMails(
  { deliveries, bus, overflow }: CommitPorts,
  mails: { mail: PreparedMail; reports: PreparedMail[] }[],
  wholly: boolean,
): Promise<DeliveryVerdict[]> {
  // Waits while other emails free space. A commit in between would use up that space.
  await overflow.turns;
  const groups: Group[] = wholly
    ? [{ mails: mails.map(({ mail }) => mail), reports: mails.flatMap(({ reports }) => reports) }]
    : mails.map(({ mail, reports }) => ({ mails: [mail], reports }));
  const commit = (some: PreparedMail[]) => deliveries.commit(some, { wholly: true });
  const first = wholly
    ? await commit(groups.flatMap(allOf))
    : await deliveries.commit(numbered(groups), { wholly: false });
  for (const verdict of first) announce(bus, verdict);
  const settle = async (some: PreparedMail[], verdicts: DeliveryVerdict[]) => {
    const settled = await untilFit(overflow, some, verdicts, commit);
    if (settled !== verdicts) for (const verdict of settled) announce(bus, verdict);
    return settled;
  };
  const last: DeliveryVerdict[] = [];
  let at = 0;
  for (const group of groups) {
    const all = allOf(group);
    let verdicts = await settle(all, first.slice(at, at + all.length));
    at += all.length;
    if (group.reports.length > 0 && verdicts.some((verdict) => 'reason' in verdict)) {
      const alone = await commit(group.mails);
      for (const verdict of alone) announce(bus, verdict);
      verdicts = await settle(group.mails, alone);
    }
    for (const one of verdicts.slice(0, group.mails.length)) last.push(one);
  }
  return last;
}

const allOf = ({ mails, reports }: Group) => [...mails, ...reports];

/** Lists the groups' emails. Marks the emails of a group that has reports with the group's number. */
function numbered(groups: Group[]): PreparedMail[] {
  return groups.flatMap((one, group) => {
    return one.reports.length === 0 ? one.mails : allOf(one).map((mail) => ({ ...mail, group }));
  });
}

/**
 * Commits emails again while they are refused because an account is full, each time after freeing space. Emails free space one after
 * another, because each would otherwise delete what another has just stored. Records a final refusal.
 */
async function untilFit(
  overflow: CommitPorts['overflow'],
  mails: PreparedMail[],
  first: DeliveryVerdict[],
  commit: (mails: PreparedMail[]) => Promise<DeliveryVerdict[]>,
): Promise<DeliveryVerdict[]> {
  const found = unfitOf(mails, first);
  if (found === null) return first;
  const retry = async () => {
    let result = first;
    let unfit: Overflow | null = found;
    for (let round = 0; unfit !== null && round < limits.owned.dropRounds; round += 1) {
      if (!(await overflow.makeRoom(unfit))) break;
      result = await commit(mails);
      unfit = unfitOf(mails, result);
    }
    if (unfit !== null) overflow.accountRefused(unfit);
    return result;
  };
  return found.accountId === overflow.dropsOldest ? overflow.inTurn(retry) : retry();
}

/** Returns what exceeded an account's free space in emails that were committed together, or null. */
function unfitOf(mails: PreparedMail[], verdicts: DeliveryVerdict[]): Overflow | null {
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
