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
import type { DeliveryStore, DeliveryVerdict, Fullness, PreparedMail } from './delivery.ts';
import type { Failing } from './failing.ts';
import { type Examined, meetRequest, reportsOnMail } from './failing.ts';
import { type ArrivedMail, examineMail } from './prepare-mail.ts';
import { prepareReports, type ReportPorts } from './prepare-reports.ts';
import { commitMails } from './receive-mail.ts';
import type { Submitter } from './submitter.ts';

type Ports = CapturePorts &
  ReportPorts & {
    accounts: Pick<AccountStore, 'findCapture'>;
    deliveries: DeliveryStore;
    bus: EventBus;
    fullness: Fullness;
    clock: () => Date;
    receivedBy: string;
    failing: Failing;
  };

/** Request of an application, in an email provider's format. */
export type ProviderRequest = {
  /** Requested emails, in their order. */
  composed: (Composed | RefusedDraft)[];
  remoteAddress: string;
  /** Key that the request came with, for the envelope, or null. */
  authenticatedAs: Submitter | null;
  submission: Submission;
  /** Trace of the request, if any. */
  trace: Trace | null;
  /** True if one refused email leaves the others in its request accepted. */
  eachByItself: boolean;
  /** Aborts when the client hangs up. */
  signal: AbortSignal;
  /** Number of emails examined at the same time. */
  mailsAtOnce: number;
  /** Finds the outcome of mail to an address that the provider reserves for tests; null for every other address. */
  testAddress(address: string, message: Uint8Array): TestOutcome | null;
};

/** Report on mail to a test address, or mail that is accepted but not stored. */
export type TestOutcome = Pick<ReportRequest, 'kind' | 'reply'> | 'dropped';

/** Accepted email, stored as messages with these ids. */
export type SubmittedMail = Omit<Composed, 'mailFrom' | 'message'> & { ids: Id[] };

/** Maximum recipients looked up in one turn of the event loop. */
const lookUpsAtOnce = 50;

/** `reports`: those that test addresses request. */
type Accepted = Composed & { recipients: AcceptedRecipient[]; reports: ReportRequest[] };

/** Request whose emails were examined and checked for the team's failures. `bytes`: of its emails, which wait for `store`. */
export type ExaminedRequest = {
  verdict: FailureVerdict;
  mailFrom: string | null;
  rcptTo: string[];
  bytes: number;
  /** Stores the emails. Returns their outcomes in the request's order. */
  store(): Promise<(SubmittedMail | RefusedDraft)[]>;
};

/**
 * Examines a request's emails, each as in an SMTP session that the submitter signed in to. Stores none of them if it or `store`
 * throws. Throws Invalid, Overloaded and StoreUnavailable.
 */
export async function examineMails(
  ports: Ports,
  submitter: Submitter,
  request: ProviderRequest,
): Promise<ExaminedRequest> {
  const { composed, eachByItself, remoteAddress, signal } = request;
  const mails: (Accepted | RefusedDraft)[] = [];
  const promised = new Map<Id, number>();
  const submission = shortened(request.submission, composed.length);
  const keptBytes = jsonBytes(submission);
  for (const made of composed) {
    signal.throwIfAborted();
    const mail =
      'violations' in made ? made : await accept(ports, submitter, request, { ...made, keptBytes }, promised);
    if ('violations' in mail && !eachByItself) throw asError(mail);
    mails.push(mail);
  }
  const taken = mails.flatMap((mail) => ('violations' in mail ? [] : [mail]));
  const stored = taken.filter(({ recipients }) => recipients.length > 0);
  const examined = await examineAll(ports, { ...request, submission }, stored);
  const verdict = await meetRequest(ports.failing, submitter, remoteAddress, examined);
  return {
    verdict,
    mailFrom: examined[0]?.arrived.mailFrom ?? null,
    rcptTo: stored.flatMap(({ recipients }) => recipients.map(({ address }) => address)),
    bytes: stored.reduce((sum, { message }) => sum + message.length, 0),
    async store() {
      const prepared = await prepare(ports, submitter, signal, examined, verdict);
      const verdicts = (await commitMails(ports, prepared, !eachByItself)).values();
      const outcomes = mails.map((mail) => {
        if ('violations' in mail) return mail;
        return mail.recipients.length === 0 ? submitted(mail, []) : outcomeOf(mail, verdicts.next().value);
      });
      const refused = outcomes.find((outcome) => 'violations' in outcome);
      if (refused !== undefined && !eachByItself) throw asError(refused);
      return outcomes;
    },
  };
}

/**
 * Finds an email's accounts. Refuses an email with a refused recipient. `promised` contains the bytes of the request's earlier
 * emails by account, which also need space. `keptBytes` are the request's, which each email stores.
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
      // An email may have a thousand recipients, and a user's requests arrive at the same time: others are served in between.
      if (index % lookUpsAtOnce === 0) await setImmediate();
      const outcome = mail.isTest ? 'dropped' : testAddress(address, message);
      if (outcome === 'dropped') continue;
      if (outcome !== null) reports.push({ address, ...outcome });
      const first = await acceptOrCapture(ports, address, size, submitter);
      const before = 'refusal' in first ? 0 : (promised.get(first.accountId) ?? 0);
      const verdict = before === 0 ? first : await acceptOrCapture(ports, address, size + before, submitter);
      if ('refusal' in verdict) {
        const why = `${verdict.address}: ${refusalSentences[verdict.refusal]}`;
        violations.push({ field, message: why });
        refused.push({ address, reason: verdict.refusal });
        // The response has no space for further refusals.
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

/** Returns the error for an email that has refused recipients, or none at all. */
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

/** Examined email of a request, with its bytes. */
type ExaminedBody = Examined & { body: { bytes: Uint8Array } };

/** Examines a request's emails, a few at a time. */
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

/** Prepares the reports on a request's emails, in addition to those of the failures that matched it. */
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
    const reports = await reportsOnMail(ports.failing, submitter.owner, { arrived, mail }, met.reports);
    const some = await prepareReports(ports, { ...arrived, reports }, mail, body, reportsLeft);
    prepared.push({ mail, reports: some });
    reportsLeft = Math.max(0, reportsLeft - some.length);
  }
  signal.throwIfAborted();
  return linkedTogether(prepared);
}

/** Keeps each email's references that count if one transaction stores all of these emails. */
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

function submitted({ messageId, addressees, note, isTest }: Accepted, ids: Id[]): SubmittedMail {
  return { ids, messageId, addressees, isTest, ...(note === undefined ? {} : { note }) };
}

function outcomeOf(mail: Accepted, verdict: DeliveryVerdict | undefined): SubmittedMail | RefusedDraft {
  if (verdict === undefined) throw new Error('the store returned no result');
  if ('ids' in verdict) return submitted(mail, verdict.ids);
  const { address, reason } = verdict;
  const why = reason === 'new-rules' ? 'try-again' : recipientRefusals[reason];
  const violation = { field: 'to', message: `${address} ${deliverySentences[reason]}` };
  return new RefusedMail([violation], { mailFrom: mail.mailFrom, rcptTo: [address], reason: why });
}

/** Truncates a request's text on a character boundary. Each of its `count` messages stores a copy. */
function shortened({ provider, request }: Submission, count: number): Submission {
  const { shownBytes, shownBytesInAll } = limits.submissions;
  return {
    provider,
    request: firstBytes(request.toWellFormed(), Math.min(shownBytes, Math.floor(shownBytesInAll / count))),
  };
}
