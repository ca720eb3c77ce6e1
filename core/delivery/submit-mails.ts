import { setImmediate } from 'node:timers/promises';
import type { AccountStore } from '#core/accounts/account.ts';
import { bytesInQuota } from '#core/accounts/room.ts';
import { Invalid, invalid, type Violation } from '#core/errors.ts';
import type { EventBus } from '#core/events/event.ts';
import type { FailureVerdict } from '#core/failures/choose-failure.ts';
import type { ReportRequest } from '#core/failures/report-fields.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { Submission } from '#core/messages/content.ts';
import { firstBytes, jsonBytes } from '#core/messages/mail-record.ts';
import { nearestTokens } from '#core/messages/threads.ts';
import type { Trace } from '#core/messages/trace-context.ts';
import {
  type AcceptedRecipient,
  acceptOrCapture,
  type CapturePorts,
  type CaptureRefusal,
  deliverySentences,
  recipientRefusals,
  refusalSentences,
} from './accept-recipient.ts';
import { type Composed, type RefusedDraft, RefusedMail } from './compose.ts';
import type { DeliveryStore, DeliveryVerdict, OverflowHandler, PreparedMail } from './delivery.ts';
import type { FailureSimulator } from './failure-simulator.ts';
import { type Examined, reportsOnMail, simulateForRequest } from './failure-simulator.ts';
import { type ArrivedMail, examineMail } from './prepare-mail.ts';
import { prepareReports, type ReportPorts } from './prepare-reports.ts';
import { commitMails } from './receive-mail.ts';
import type { Submitter } from './submitter.ts';

type Ports = CapturePorts &
  ReportPorts & {
    accounts: Pick<AccountStore, 'findCapture'>;
    deliveries: DeliveryStore;
    bus: EventBus;
    overflow: OverflowHandler;
    clock: () => Date;
    receivedBy: string;
    failureSimulator: FailureSimulator;
  };

/** Request from an application, in an email provider's format. */
export type ProviderRequest = {
  /** Emails to send, in the request's order. */
  composed: (Composed | RefusedDraft)[];
  remoteAddress: string;
  /** Key that authenticated the request, for the envelope, or null. */
  authenticatedAs: Submitter | null;
  submission: Submission;
  trace: Trace | null;
  /** True if a refused email does not affect the others in its request. */
  eachIndependently: boolean;
  /** Aborts when the client disconnects. */
  signal: AbortSignal;
  /** Maximum number of emails that are examined at the same time. */
  mailsAtOnce: number;
  /** Finds the outcome of mail to an address that the provider reserves for tests. Returns null for every other address. */
  testAddress(address: string, message: Uint8Array): TestOutcome | null;
};

/** Report on mail to a test address, or on mail that is accepted but not stored. */
export type TestOutcome = Pick<ReportRequest, 'kind' | 'reply'> | 'dropped';

/** Accepted email, stored as messages with these IDs. */
export type SubmittedMail = Omit<Composed, 'mailFrom' | 'message'> & { ids: Id[] };

/** Maximum number of recipients looked up in one turn of the event loop. */
const lookUpsAtOnce = 50;

type Accepted = Composed & { recipients: AcceptedRecipient[]; reports: ReportRequest[] };

/**
 * Request whose emails have been examined and checked for the team's failures. `bytes`: size of these emails, which stay in memory until
 * `store` is called.
 */
export type ExaminedRequest = {
  verdict: FailureVerdict;
  mailFrom: string | null;
  rcptTo: string[];
  bytes: number;
  /** Stores the emails. Returns the outcomes in the request's order. */
  store(): Promise<(SubmittedMail | RefusedDraft)[]>;
};

/**
 * Examines a request's emails as if each had arrived in an SMTP session to which the submitter had signed in. If it or `store` throws, no
 * email is stored. Throws Invalid, Overloaded and StoreUnavailable.
 */
export async function examineMails(
  ports: Ports,
  submitter: Submitter,
  request: ProviderRequest,
): Promise<ExaminedRequest> {
  const { composed, eachIndependently, remoteAddress, signal } = request;
  const mails: (Accepted | RefusedDraft)[] = [];
  const promised = new Map<Id, number>();
  const submission = shortened(request.submission, composed.length);
  const keptBytes = jsonBytes(submission);
  for (const made of composed) {
    signal.throwIfAborted();
    const mail =
      'violations' in made ? made : await accept(ports, submitter, request, { ...made, keptBytes }, promised);
    if ('violations' in mail && !eachIndependently) throw asError(mail);
    mails.push(mail);
  }
  const taken = mails.flatMap((mail) => ('violations' in mail ? [] : [mail]));
  const stored = taken.filter(({ recipients }) => recipients.length > 0);
  const examined = await examineAll(ports, { ...request, submission }, stored);
  const verdict = await simulateForRequest(ports.failureSimulator, submitter, remoteAddress, examined);
  return {
    verdict,
    mailFrom: examined[0]?.arrived.mailFrom ?? null,
    rcptTo: stored.flatMap(({ recipients }) => recipients.map(({ address }) => address)),
    bytes: stored.reduce((sum, { message }) => sum + message.length, 0),
    async store() {
      const prepared = await prepare(ports, submitter, signal, examined, verdict);
      const verdicts = (await commitMails(ports, prepared, !eachIndependently)).values();
      const outcomes = mails.map((mail) => {
        if ('violations' in mail) return mail;
        return mail.recipients.length === 0 ? submitted(mail, []) : outcomeOf(mail, verdicts.next().value);
      });
      const refused = outcomes.find((outcome) => 'violations' in outcome);
      if (refused !== undefined && !eachIndependently) throw asError(refused);
      return outcomes;
    },
  };
}

/**
 * Finds the accounts of an email's recipients. Refuses the email if a recipient is refused. `promised` counts the bytes of the request's
 * earlier emails by account, for which there must also be space. `keptBytes` is the size of the request, which each email stores.
 */
async function accept(
  ports: Ports,
  submitter: Submitter,
  { testAddress }: Pick<ProviderRequest, 'testAddress'>,
  { keptBytes, ...mail }: Composed & { keptBytes: number },
  promised: Map<Id, number>,
): Promise<Accepted | RefusedDraft> {
  const { addressees, message } = mail;
  const all = [...addressees.to, ...addressees.cc, ...addressees.bcc];
  const violations: Violation[] = [];
  const refused: { address: string; reason: CaptureRefusal }[] = [];
  if (all.length === 0) violations.push({ field: 'to', message: 'must contain at least one address' });
  const recipients = new Map<string, AcceptedRecipient>();
  const reports: ReportRequest[] = [];
  const size = bytesInQuota(message.length, keptBytes + jsonBytes(all));
  for (const field of ['to', 'cc', 'bcc'] as const) {
    for (const [index, address] of addressees[field].entries()) {
      // An email may have a thousand recipients, and a user may send several requests at the same time. Lets other users' work run in
      // between.
      if (index % lookUpsAtOnce === 0) await setImmediate();
      const outcome = testAddress(address, message);
      if (outcome === 'dropped') continue;
      if (outcome !== null) reports.push({ address, ...outcome });
      const first = await acceptOrCapture(ports, address, size, submitter);
      const before = 'refusal' in first ? 0 : (promised.get(first.accountId) ?? 0);
      const verdict = before === 0 ? first : await acceptOrCapture(ports, address, size + before, submitter);
      if ('refusal' in verdict) {
        const why = `${verdict.address}: ${refusalSentences[verdict.refusal]}`;
        violations.push({ field, message: why });
        refused.push({ address, reason: verdict.refusal });
        // The response cannot contain further refusals.
        if (violations.length >= limits.http.violations) return refusedFor(mail, violations, refused);
      } else recipients.set(address, verdict);
    }
  }
  const accounts = new Set([...recipients.values()].map(({ accountId }) => accountId));
  const most = limits.submissions.deliveries;
  if (accounts.size * recipients.size > most) {
    return invalid(
      'to',
      `an email may have at most ${most} recipients, counted once per account`,
      'submissions.deliveries',
    );
  }
  if (violations.length > 0) return refusedFor(mail, violations, refused);
  for (const account of accounts) promised.set(account, (promised.get(account) ?? 0) + size);
  return { ...mail, recipients: [...recipients.values()], reports };
}

/** Returns the error for an email that has refused recipients, or that has no recipients. */
function refusedFor(
  { mailFrom }: Composed,
  violations: Violation[],
  refused: { address: string; reason: CaptureRefusal }[],
): Invalid {
  const [first] = refused;
  if (first === undefined) return new Invalid(violations);
  const rcptTo = refused.map(({ address }) => address);
  return new RefusedMail(violations, { mailFrom, rcptTo, reason: first.reason });
}

function asError(refused: RefusedDraft): Invalid {
  return refused instanceof Invalid ? refused : new Invalid(refused.violations, refused.limits);
}

type Prepared = { mail: PreparedMail; reports: PreparedMail[] };

type ExaminedBody = Examined & { body: { bytes: Uint8Array } };

/** Examines a request's emails, a few at the same time. */
async function examineAll(
  ports: Ports,
  request: ProviderRequest,
  mails: Accepted[],
): Promise<ExaminedBody[]> {
  const examined: ExaminedBody[] = [];
  const few = request.mailsAtOnce;
  for (let at = 0; at < mails.length; at += few) {
    const some = mails.slice(at, at + few).map((mail) => examine(ports, request, mail));
    for (const one of await Promise.all(some)) examined.push(one);
    request.signal.throwIfAborted();
  }
  return examined;
}

/** Prepares the reports on a request's emails. Adds those that the failures of the request cause. */
async function prepare(
  ports: Ports,
  submitter: Submitter,
  signal: AbortSignal,
  examined: ExaminedBody[],
  met: FailureVerdict,
): Promise<Prepared[]> {
  let reportsLeft = limits.reports.ofRequest;
  const prepared: Prepared[] = [];
  for (const { arrived, mail, body } of examined) {
    signal.throwIfAborted();
    const reports = await reportsOnMail(
      ports.failureSimulator,
      submitter.owner,
      { arrived, mail },
      met.reports,
    );
    const some = await prepareReports(ports, { ...arrived, reports }, mail, body, reportsLeft);
    prepared.push({ mail, reports: some });
    reportsLeft = Math.max(0, reportsLeft - some.length);
  }
  signal.throwIfAborted();
  return linkedTogether(prepared);
}

/** Limits each email's references to those that count if one transaction stores all of these emails. */
function linkedTogether(mails: Prepared[]): Prepared[] {
  const messages = mails.reduce((sum, { mail, reports }) => sum + mail.targets.length + reports.length, 0);
  return mails.map(({ mail, reports }) => {
    return { mail: { ...mail, tokens: nearestTokens(mail.tokens, messages) }, reports };
  });
}

async function examine(
  { examiner, clock, receivedBy }: Ports,
  { remoteAddress, authenticatedAs, submission, trace }: ProviderRequest,
  { message, mailFrom, recipients, reports }: Accepted,
): Promise<ExaminedBody> {
  const arrived: ArrivedMail = {
    ...{ mailFrom, helo: null, remoteAddress, tls: null, dsn: null, submitter: authenticatedAs },
    ...{
      receivedBy,
      receivedAt: clock(),
      smtpUtf8: true,
      submitted: true,
      submission,
      trace,
      recipients,
      reports,
    },
  };
  const body = { bytes: message };
  return { arrived, mail: await examineMail(examiner, arrived, body), body };
}

function submitted({ messageId, addressees, note }: Accepted, ids: Id[]): SubmittedMail {
  return { ids, messageId, addressees, ...(note === undefined ? {} : { note }) };
}

function outcomeOf(mail: Accepted, verdict: DeliveryVerdict | undefined): SubmittedMail | RefusedDraft {
  if (verdict === undefined) throw new Error('the store returned no result');
  if ('ids' in verdict) return submitted(mail, verdict.ids);
  const { address, reason } = verdict;
  const why = reason === 'new-rules' ? 'try-again' : recipientRefusals[reason];
  const violation = { field: 'to', message: `${address} ${deliverySentences[reason]}` };
  return new RefusedMail([violation], { mailFrom: mail.mailFrom, rcptTo: [address], reason: why });
}

/** Truncates a request's text on a character boundary, because each of its `count` messages stores a copy. */
function shortened({ provider, request }: Submission, count: number): Submission {
  const { shownBytes, shownBytesInAll } = limits.submissions;
  return {
    provider,
    request: firstBytes(request.toWellFormed(), Math.min(shownBytes, Math.floor(shownBytesInAll / count))),
  };
}
