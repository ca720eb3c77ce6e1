import { isAscii } from '#core/ascii.ts';
import type { Id } from '#core/ids.ts';
import { limits } from '#core/limits.ts';
import type { NamedAddress } from '#core/messages/content.ts';
import type { Arrival } from '#core/messages/examine.ts';
import type { Dsn } from '#core/messages/message.ts';
import type { ReportKind } from '#core/messages/report.ts';
import { complaintFields, type ReportFacts, type ReportRequest, statusFields } from './report-fields.ts';
import { reportSubject, reportText } from './report-text.ts';

/** Mail to create reports about. `reports`: the reports that failures request. */
export type ReportedMail = Pick<
  Arrival,
  'mailFrom' | 'remoteAddress' | 'receivedBy' | 'receivedAt' | 'smtpUtf8'
> & {
  recipients: { address: string; owner: Id; simulatesFailures: boolean }[];
  dsn: Dsn | null;
  reports?: ReportRequest[];
};

/**
 * Report to compose. `machine` is the machine-readable part; `returned` is the email, or only its header. `inReplyTo` includes the angle
 * brackets.
 */
export type ReportDraft = {
  kind: ReportKind;
  from: NamedAddress;
  to: string;
  subject: string;
  inReplyTo: string | null;
  date: Date;
  text: string;
  machine: { contentType: string; fields: string } | null;
  returned: { contentType: string; bytes: Uint8Array } | null;
};

/** Composes a report as a message in RFC 5322 form. */
export type ComposeReport = (draft: ReportDraft) => Promise<Uint8Array>;

/**
 * Email that a report quotes. `beginning`: the email's first bytes, up to `limits.reports.returnedBytes`. `msgid` includes the angle
 * brackets.
 */
export type Quoted = { msgid: string | null; subject: string; sizeBytes: number; beginning: Uint8Array };

/** NOTIFY condition (RFC 3461 section 4.1) under which each kind of status report is sent. */
const conditions = { failed: 'FAILURE', delayed: 'DELAY', delivered: 'SUCCESS' } as const;
type StatusKind = keyof typeof conditions;

const isStatus = (kind: ReportKind): kind is StatusKind => kind in conditions;

/**
 * Chooses the recipients to report to the sender: those for whom failures request a report that NOTIFY allows. If NOTIFY requests it,
 * also reports delivery to accounts that simulate failures. Reports nothing on mail from the null sender.
 */
export function chooseReported({ mailFrom, recipients, dsn, reports = [] }: ReportedMail): ReportRequest[] {
  if (mailFrom === '') return [];
  const notify = new Map(dsn?.recipients.map((recipient) => [recipient.address, recipient.notify]));
  const failing = new Set(reports.map(({ address }) => address));
  const delivered = recipients.filter(
    ({ address, simulatesFailures }) =>
      simulatesFailures && !failing.has(address) && notify.get(address)?.includes('SUCCESS'),
  );
  const asked = reports.filter(({ address, kind }) => {
    const words = notify.get(address) ?? [];
    if (words.includes('NEVER')) return false;
    return !isStatus(kind) || words.length === 0 || words.includes(conditions[kind]);
  });
  return [
    ...asked,
    ...delivered.map(({ address }) => ({ address, kind: 'delivered' as const, reply: '250 2.0.0 Ok' })),
  ];
}

/**
 * Creates the reports on an email for its sender: one report of each kind, with all of its recipients, and an automatic reply from each
 * recipient. Creates no reports on reports (RFC 3461 section 6.2, RFC 3834 section 2).
 */
export function draftReports(mail: ReportedMail, reported: ReportRequest[], quoted: Quoted): ReportDraft[] {
  const header = headerOf(quoted.beginning);
  if (isReport(header)) return [];
  const byKind = Map.groupBy(reported, ({ kind }) => kind);
  const replies = byKind.get('autoreply')?.slice(0, limits.reports.autoreplies) ?? [];
  byKind.delete('autoreply');
  const groups = [...byKind.values(), ...replies.map((one) => [one])];
  return groups.map((recipients) => draftReport(mail, recipients, quoted, header));
}

function draftReport(
  mail: ReportedMail,
  recipients: ReportRequest[],
  { msgid, subject, sizeBytes, beginning }: Quoted,
  header: Uint8Array,
): ReportDraft {
  const { mailFrom, receivedBy, receivedAt, remoteAddress, smtpUtf8, dsn } = mail;
  const kind = recipients[0]?.kind ?? 'failed';
  const originals = new Map(dsn?.recipients.map(({ address, orcpt }) => [address, orcpt]));
  const facts: ReportFacts = {
    ...{ mailFrom, receivedBy, receivedAt, remoteAddress, envid: dsn?.envid ?? null },
    recipients: recipients.map((one) => ({ ...one, orcpt: originals.get(one.address) ?? null })),
  };
  const isWhole =
    (kind === 'failed' || kind === 'complaint') && dsn?.ret !== 'HDRS' && sizeBytes <= beginning.length;
  const shared = {
    ...{ kind, to: mailFrom, date: receivedAt, subject: reportSubject(kind, subject) },
    inReplyTo: msgid !== null && /^<[!-;=?-~]{1,900}>$/.test(msgid) ? msgid : null,
    text: reportText(kind, facts),
  };
  if (kind === 'autoreply') {
    const address = recipients[0]?.address ?? '';
    return { ...shared, from: { name: '', address }, machine: null, returned: null };
  }
  const hasUtf8 = smtpUtf8 && header.some((octet) => octet >= 0x80);
  const returned = isWhole
    ? { contentType: hasUtf8 ? 'message/global' : 'message/rfc822', bytes: beginning }
    : { contentType: hasUtf8 ? 'message/global-headers' : 'text/rfc822-headers', bytes: header };
  if (kind === 'complaint') {
    const machine = { contentType: 'message/feedback-report', fields: complaintFields(facts) };
    return { ...shared, from: { name: 'Abuse Desk', address: `abuse@${receivedBy}` }, machine, returned };
  }
  const isGlobal = smtpUtf8 && !recipients.every(({ address }) => isAscii(address));
  const contentType = isGlobal ? 'message/global-delivery-status' : 'message/delivery-status';
  const from = { name: 'Mail Delivery System', address: `mailer-daemon@${receivedBy}` };
  return { ...shared, from, machine: { contentType, fields: statusFields(facts, isGlobal) }, returned };
}

/** Returns the header section without the blank line that ends it. If the header is longer than `beginning`, returns only whole lines. */
function headerOf(beginning: Uint8Array): Uint8Array {
  const bytes = Buffer.from(beginning.buffer, beginning.byteOffset, beginning.length);
  const blanks = [bytes.indexOf('\r\n\r\n') + 2, bytes.indexOf('\n\n') + 1].filter((end) => end > 1);
  // Bounded: the list has two positions.
  const end = blanks.length > 0 ? Math.min(...blanks) : bytes.lastIndexOf('\n') + 1;
  return beginning.subarray(0, end);
}

/** Checks whether an email is a report, or was sent in response to another email. */
function isReport(header: Uint8Array): boolean {
  const text = Buffer.from(header).toString('latin1');
  return /^(?:content-type:\s*multipart\/report\b|auto-submitted:\s*auto-replied\b)/im.test(text);
}
