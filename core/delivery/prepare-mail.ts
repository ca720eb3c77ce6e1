import { bytesInQuota, type Load } from '#core/accounts/room.ts';
import { envelopeText, foldText } from '#core/extraction/search-text.ts';
import type { ReportRequest } from '#core/failures/report-fields.ts';
import type { Id } from '#core/ids.ts';
import type { Arrival, MailExaminer } from '#core/messages/examine.ts';
import { boundSummary, jsonBytes, type MailRecord, storedBytes } from '#core/messages/mail-record.ts';
import type { Dsn, SignedIn, TlsInfo } from '#core/messages/message.ts';
import { addressKey } from '#core/messages/recipients.ts';
import { nearestTokens } from '#core/messages/threads.ts';
import { keysOf, withKeys } from '#core/messages/traits.ts';
import type { AcceptedRecipient } from './accept-recipient.ts';
import type { Body, DeliveryTarget, PreparedMail, PreparedTarget } from './delivery.ts';
import type { Submitter } from './submitter.ts';

/**
 * Email that has arrived for accepted recipients. `submitter`: who signed in to send it, if anybody; all recipients are then the
 * submitter's. `reports`: reports to send after the email is stored, if its sender wants them.
 */
export type ArrivedMail = Arrival & {
  recipients: AcceptedRecipient[];
  submitter: Submitter | null;
  tls: TlsInfo | null;
  dsn: Dsn | null;
  reports?: ReportRequest[];
};

/** Examines an email, and prepares it for a commit to some targets. */
export async function examineMail(
  examiner: MailExaminer,
  mail: ArrivedMail,
  body: Body,
  targets = inboxes(mail),
): Promise<PreparedMail> {
  const { recipients, submitter: _s, tls: _t, dsn: _d, reports: _r, ...arrival } = mail;
  const assumedClientIp = assumedBy(recipients);
  const known = assumedClientIp === null ? arrival : { ...arrival, assumedClientIp };
  const record = await examiner.examine('bytes' in body ? body.bytes : body.raw, known);
  return prepareMail(record, body, mail.receivedAt, targets);
}

/**
 * Returns the client address that all recipients' domains assume. Returns null if the domains differ: all of an email's messages share
 * its results, and no team may decide on another team's.
 */
function assumedBy(recipients: AcceptedRecipient[]): string | null {
  const [first = null, ...others] = new Set(recipients.map(({ assumedClientIp }) => assumedClientIp));
  return others.length === 0 ? first : null;
}

/** Completes an email's record from its targets: for recipients that the header does not name, uses the envelope's addresses. */
export function prepareMail(
  record: MailRecord,
  body: Body,
  receivedAt: Date,
  targets: DeliveryTarget[],
  sizeBytes = 'bytes' in body ? body.bytes.length : body.raw.sizeBytes,
): PreparedMail {
  const { fromAddress: _, fromName: _n, toAddresses: _to, submissionBytes: _b, ...named } = record;
  const { tags: _t, traits: _tr, ...shared } = named;
  const { search, tokens } = record;
  return {
    ...shared,
    body: 'bytes' in body ? body : { bodyId: body.bodyId },
    sizeBytes,
    receivedAt,
    tokens: nearestTokens(tokens, targets.length),
    search: { ...search, sender: search.sender ?? foldText(targets[0]?.envelope.mailFrom ?? '') },
    targets: targets.map((target) => prepareTarget(record, target, sizeBytes)),
  };
}

/** Returns the bytes and number of an email's messages in an account. */
export function loadOf({ targets }: PreparedMail, accountId: Id): Load {
  const own = targets.filter((target) => target.accountId === accountId);
  return { bytes: own.reduce((sum, { countedBytes }) => sum + countedBytes, 0), messages: own.length };
}

function prepareTarget(record: MailRecord, target: DeliveryTarget, sizeBytes: number): PreparedTarget {
  const { fromAddress, fromName, toAddresses, submissionBytes, json } = record;
  const { mailFrom, rcptTo } = target.envelope;
  const shown = boundSummary({
    msgid: null,
    subject: '',
    fromAddress: fromAddress || mailFrom,
    fromName,
    toAddresses: toAddresses.length > 0 ? toAddresses : rcptTo,
  });
  const { recipients = [target.deliveredTo], tags = record.tags } = target;
  const keys = keysOf(recipients.map(addressKey), tags, record.traceId);
  // The stored content also includes the submission, whose full size counts.
  const keptBytes = jsonBytes(target.envelope) + submissionBytes;
  return {
    ...target,
    fromAddress: shown.fromAddress,
    fromName: shown.fromName,
    toAddresses: shown.toAddresses,
    ownRecipients: envelopeText(target),
    tags,
    keys,
    traits: withKeys(record.traits, keys),
    countedBytes: bytesInQuota(sizeBytes, keptBytes, storedBytes(json) - submissionBytes),
  };
}

/**
 * Returns one target for each account: recipients that reach the same account share a message. Each owner sees only the owner's
 * recipients, so others' Bcc recipients stay hidden.
 */
export function inboxes({ recipients, submitter, tls, dsn, ...arrival }: ArrivedMail): DeliveryTarget[] {
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
      authenticatedAs: submitter && signedIn(submitter),
      tlsInfo: tls,
      dsn: dsn && {
        ...dsn,
        recipients: dsn.recipients.filter((recipient) => rcptTo.includes(recipient.address)),
      },
    };
    const own = recipients.filter((other) => other.accountId === accountId).map((other) => other.address);
    const several = own.length > 1 && { recipients: own };
    return { owner, accountId, mailbox: 'INBOX', deliveredTo: address, tag, envelope, ...several };
  });
}

function signedIn({ kind, name, userName }: Submitter): SignedIn {
  return { kind, name, ...(userName !== undefined && { userName }) };
}
