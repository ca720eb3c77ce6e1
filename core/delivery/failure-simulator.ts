import type { RowStore } from '#core/change.ts';
import { addressFailure } from '#core/failures/address-failure.ts';
import { addressFailureKey, countAddressFailure, countFailure } from '#core/failures/change-failures.ts';
import {
  canAct,
  candidates,
  decides,
  type FailureVerdict,
  type MadeFailure,
  verdictOf,
} from '#core/failures/choose-failure.ts';
import type { Attempt, FailureRule, FailureWords, Stage, TeamFailures } from '#core/failures/failure.ts';
import type { ReportRequest } from '#core/failures/report-fields.ts';
import type { Id } from '#core/ids.ts';
import { addressKey } from '#core/messages/recipients.ts';
import { KnownRules } from '#core/rules/known-rules.ts';
import { type AcceptedRecipient, mayFail } from './accept-recipient.ts';
import type { PreparedMail } from './delivery.ts';
import { type MailMatcher, matchJob } from './match-mail.ts';
import type { ArrivedMail } from './prepare-mail.ts';
import type { Submitter } from './submitter.ts';

/**
 * Command, email or request that a team's failures may apply to. `version`: version of the team's failure rules, null if only the store
 * knows it. `recipients` are the team's recipients so far. `isAlone`: no other team has recipients. `prepared`: the emails after they
 * were examined. `onlyReports`: see `decides`.
 */
export type FailureContext = {
  team: Id;
  version: number | null;
  stage: Stage;
  remoteAddress: string | null;
  mailFrom: string | null;
  recipients: AcceptedRecipient[];
  isAlone: boolean;
  prepared?: PreparedMail[];
  onlyReports?: boolean;
};

export type FailureSimulator = {
  /**
   * Simulates the failures of a command, an email or a request, and counts them. The first failure that matches a recipient decides;
   * failures in the address precede the team's rules. Throws StoreUnavailable.
   */
  simulate(failureContext: FailureContext): Promise<FailureVerdict>;
};

type Ports = {
  rows: RowStore;
  matcher: MailMatcher;
  clock: () => Date;
  /** Runs the counting of a payer's attempts one after another, so others can use the store in between. */
  inTurn<T>(team: Id, count: () => Promise<T>): Promise<T>;
};

/** Creates the service. A process keeps up to `mostKnown` rules in memory. */
export function createFailureSimulator(ports: Ports, mostKnown: number): FailureSimulator {
  const read = (team: Id) => ports.rows.read('versionedFailures', { team });
  const known = new KnownRules<TeamFailures>(read, mostKnown);

  const rulesOf = async ({ team, version }: FailureContext): Promise<FailureRule[]> => {
    if (version === 0) return [];
    const { rules } = await (version === null ? read(team) : known.in(team, version));
    return rules;
  };

  /** Creates the record of an attempt that matched a failure. If the failure defines no reply, records the action instead. */
  const attemptOf = (
    { remoteAddress, mailFrom, recipients }: FailureContext,
    words: FailureWords,
  ): Attempt => {
    const rcptTo = recipients.map(({ address }) => address);
    return { at: ports.clock(), remoteAddress, mailFrom, rcptTo, reply: words.reply ?? words.action };
  };

  /** Decides whether a recipient fails because of its address. If the address limits the number of refusals, counts the attempt. */
  const failsByAddress = async (
    failureContext: FailureContext,
    words: FailureWords,
    recipient: AcceptedRecipient,
  ) => {
    if (words.times === null) return true;
    const { team, mailFrom } = failureContext;
    const failure = addressFailureKey(recipient.accountId, mailFrom ?? '', recipient.address);
    const attempt = attemptOf({ ...failureContext, recipients: [recipient] }, words);
    const args = { team, failure, words, attempt, now: attempt.at };
    return (await ports.inTurn(team, () => ports.rows.change(countAddressFailure, args))).fails;
  };

  const failsByRule = async (failureContext: FailureContext, rule: FailureRule) => {
    const attempt = attemptOf(failureContext, rule);
    const args = { team: failureContext.team, failure: rule.id, attempt, now: attempt.at };
    return (await ports.inTurn(failureContext.team, () => ports.rows.change(countFailure, args))).fails;
  };

  /** Returns the rules whose queries match the email, and the rules that have no query. */
  const queried = async (
    { team, prepared = [] }: FailureContext,
    rules: FailureRule[],
  ): Promise<FailureRule[]> => {
    const queries = [...new Set(rules.flatMap(({ match: { q } }) => q ?? []))];
    const matched = new Set<string | null>([null]);
    for (const mail of queries.length === 0 ? [] : prepared) {
      const own = mail.targets.filter(({ owner, mailbox }) => owner === team && mailbox === 'INBOX');
      for (const places of await ports.matcher.matches(team, matchJob(queries, mail, own)))
        for (const at of places) matched.add(queries[at] ?? null);
    }
    return rules.filter(({ match }) => matched.has(match.q));
  };

  /** Simulates failures for each recipient that has not already failed. */
  async function* madeOf(failureContext: FailureContext): AsyncGenerator<MadeFailure> {
    const { recipients } = failureContext;
    let left = recipients.map((recipient) => ({ recipient, key: addressKey(recipient.address) }));
    for (const one of left) {
      const { recipient } = one;
      const words = recipient.simulatesFailures ? addressFailure(recipient.tag) : null;
      if (words === null || !canAct(words, failureContext)) continue;
      if (!(await failsByAddress(failureContext, words, recipient))) continue;
      yield { words, addresses: [recipient.address] };
      left = left.filter((other) => other !== one);
    }
    if (recipients.length > 0 && left.length === 0) return;
    const rules = candidates(await rulesOf(failureContext), failureContext, ports.clock());
    for (const rule of await queried(failureContext, rules)) {
      const { address } = rule.match;
      const wanted = address && addressKey(address);
      const matched = wanted === null ? left : left.filter(({ key }) => key === wanted);
      if (matched.length === 0 && (wanted !== null || recipients.length > 0)) continue;
      if (!(await failsByRule(failureContext, rule))) continue;
      yield { words: rule, addresses: matched.map(({ recipient }) => recipient.address) };
      left = left.filter((one) => !matched.includes(one));
    }
  }

  return {
    async simulate(failureContext) {
      const { onlyReports = false } = failureContext;
      const made: MadeFailure[] = [];
      for await (const one of madeOf(failureContext)) {
        made.push(one);
        if (decides(one, onlyReports)) break;
      }
      return verdictOf(made, onlyReports);
    },
  };
}

/** Returns the reports that failures request for an email that an API accepts, which can no longer be refused. */
export async function reportsOf(
  failureSimulator: FailureSimulator,
  mail: Omit<FailureContext, 'stage' | 'isAlone'>,
): Promise<ReportRequest[]> {
  const reports: ReportRequest[] = [];
  let { recipients } = mail;
  for (const stage of ['rcpt', 'data', 'end'] as const) {
    if (!recipients.some(mayFail)) break;
    const met = await failureSimulator.simulate({
      ...mail,
      recipients,
      stage,
      isAlone: true,
      onlyReports: true,
    });
    const added = met.reports;
    const reported = new Set(added.map(({ address }) => address));
    recipients = recipients.filter(({ address }) => !reported.has(address));
    for (const one of added) reports.push(one);
  }
  return reports;
}

/** One of a request's emails, after it was examined. */
export type Examined = { arrived: ArrivedMail; mail: PreparedMail };

export function simulateForRequest(
  failureSimulator: FailureSimulator,
  { owner: team }: Pick<Submitter, 'owner'>,
  remoteAddress: string,
  examined: Examined[],
): Promise<FailureVerdict> {
  return failureSimulator.simulate({
    ...{ team, version: null, stage: 'api', remoteAddress, isAlone: true },
    mailFrom: examined[0]?.arrived.mailFrom ?? null,
    recipients: examined.flatMap(({ arrived }) => arrived.recipients),
    prepared: examined.map(({ mail }) => mail),
  });
}

/**
 * Returns the reports on an email that an API accepts: those that it already has, those of its request, and those that its failures
 * request.
 */
export async function reportsOnMail(
  failureSimulator: FailureSimulator,
  team: Id,
  { arrived, mail }: Examined,
  ofRequest: ReportRequest[] = [],
): Promise<ReportRequest[]> {
  const { recipients, remoteAddress, mailFrom, reports = [] } = arrived;
  const own = new Map(reports.map((report) => [report.address, report]));
  const addresses = new Set(recipients.map(({ address }) => address));
  for (const report of ofRequest)
    if (addresses.has(report.address) && !own.has(report.address)) own.set(report.address, report);
  const left = recipients.filter(({ address }) => !own.has(address));
  if (!left.some(mayFail)) return [...own.values()];
  const version = left.reduce((most, { failures }) => Math.max(most, failures), 0);
  const failureContext = { team, version, remoteAddress, mailFrom, recipients: left, prepared: [mail] };
  return [...own.values(), ...(await reportsOf(failureSimulator, failureContext))];
}
