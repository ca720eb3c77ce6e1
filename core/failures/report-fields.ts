import { isAscii } from '#core/ascii.ts';
import type { ReportKind } from '#core/messages/report.ts';

/**
 * Recipient that a report is about. `reply` is the simulated reply of the recipient's server, such as `550 5.1.1 No such user`, or empty.
 */
export type ReportRequest = { address: string; kind: ReportKind; reply: string };

/** Email that a report is about. `orcpt` and `envid` are parameters of RCPT and MAIL (RFC 3461), decoded. */
export type ReportFacts = {
  mailFrom: string;
  receivedBy: string;
  receivedAt: Date;
  remoteAddress: string | null;
  envid: string | null;
  recipients: (ReportRequest & { orcpt: string | null })[];
};

/** Time for which delayed mail is said to be retried: 5 days (RFC 5321 section 4.5.4.1). */
const retryMs = 5 * 86_400_000;

/** Returns the time at which delivery attempts for a delayed email end. */
export function retriedUntil({ receivedAt }: Pick<ReportFacts, 'receivedAt'>): Date {
  return new Date(receivedAt.getTime() + retryMs);
}

/**
 * Returns the fields of a message/delivery-status part (RFC 3464) or, if `isGlobal`, a message/global-delivery-status part (RFC 6533).
 */
export function statusFields(facts: ReportFacts, isGlobal: boolean): string {
  const { receivedBy, receivedAt, envid, recipients } = facts;
  const message = [
    ...(envid === null ? [] : [`Original-Envelope-Id: ${printable(envid)}`]),
    `Reporting-MTA: dns; ${printable(receivedBy)}`,
    `Arrival-Date: ${mailDate(receivedAt)}`,
  ];
  const blocks = recipients.map(({ address, kind, reply, orcpt }) => {
    const { status, diagnostic } = outcome(kind, reply);
    return [
      ...(orcpt === null ? [] : [`Original-Recipient: ${originalRecipient(orcpt)}`]),
      `Final-Recipient: ${finalRecipient(address, isGlobal)}`,
      `Action: ${kind}`,
      `Status: ${status}`,
      ...(diagnostic === '' ? [] : [`Diagnostic-Code: smtp; ${isGlobal ? diagnostic : ascii(diagnostic)}`]),
      `Last-Attempt-Date: ${mailDate(receivedAt)}`,
      ...(kind === 'delayed' ? [`Will-Retry-Until: ${mailDate(retriedUntil(facts))}`] : []),
    ];
  });
  return [message, ...blocks].map((lines) => `${lines.join('\r\n')}\r\n`).join('\r\n');
}

/** Returns the fields of a message/feedback-report part (RFC 5965). */
export function complaintFields(facts: ReportFacts): string {
  const { mailFrom, receivedBy, receivedAt, remoteAddress, envid, recipients } = facts;
  return [
    'Feedback-Type: abuse',
    'User-Agent: Sandpost/1.0',
    'Version: 1',
    ...(envid === null ? [] : [`Original-Envelope-Id: ${printable(envid)}`]),
    `Original-Mail-From: <${oneLine(mailFrom)}>`,
    ...recipients.map(({ address }) => `Original-Rcpt-To: <${oneLine(address)}>`),
    `Reporting-MTA: dns; ${printable(receivedBy)}`,
    `Arrival-Date: ${mailDate(receivedAt)}`,
    ...(remoteAddress === null ? [] : [`Source-IP: ${printable(remoteAddress)}`]),
    '',
  ].join('\r\n');
}

/** Classes of enhanced status codes (RFC 3463) that each kind of report may contain, the usual class first. */
const classes: Partial<Record<ReportKind, string>> = { failed: '54', delayed: '4', delivered: '2' };

/**
 * Returns a reply's enhanced status code, and the reply as one line. If the reply has no such code, returns its class's undefined status.
 * If the reply contradicts the kind of report, omits the reply.
 */
function outcome(kind: ReportKind, reply: string): { status: string; diagnostic: string } {
  const [, code = '', enhanced] = /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3}))?/.exec(reply) ?? [];
  const allowed = classes[kind] ?? '5';
  const status = enhanced ?? `${code.charAt(0)}.0.0`;
  if (allowed.includes(status.charAt(0)) && code !== '') return { status, diagnostic: oneLine(reply) };
  return { status: `${allowed.charAt(0)}.0.0`, diagnostic: '' };
}

/** Formats an ORCPT parameter as a field. The address type ends at the first semicolon. */
function originalRecipient(orcpt: string): string {
  const end = orcpt.indexOf(';');
  return `${printable(orcpt.slice(0, Math.max(end, 0)) || 'rfc822')}; ${printable(orcpt.slice(end + 1))}`;
}

/**
 * Formats an address with its type. A non-ASCII address has the type `utf-8`, and is escaped except in global reports (RFC 6533 section
 * 3).
 */
function finalRecipient(address: string, isGlobal: boolean): string {
  const line = oneLine(address);
  if (isAscii(line)) return `rfc822; ${line}`;
  const escaped = (char: string) => `\\x{${char.codePointAt(0)?.toString(16).toUpperCase()}}`;
  return `utf-8; ${isGlobal ? line : line.replace(/[^ -~]/gu, escaped)}`;
}

/** Encodes everything except printable ASCII characters as xtext (RFC 3461 section 4). */
function printable(text: string): string {
  return text.replace(/[^ -~]/gu, (char) => {
    const octets = Buffer.from(char, char <= 'ÿ' ? 'latin1' : 'utf8');
    return Array.from(octets, (octet) => `+${octet.toString(16).toUpperCase().padStart(2, '0')}`).join('');
  });
}

/** Replaces line breaks, other control characters and unpaired surrogates with spaces. */
export function oneLine(text: string): string {
  return text.toWellFormed().replace(/[\p{Cc}\u2028\u2029]+/gu, ' ');
}

const ascii = (text: string) => text.replace(/[^ -~]/gu, '?');

/** Formats a date as in RFC 5322 section 3.3. */
export function mailDate(date: Date): string {
  return date.toUTCString().replace('GMT', '+0000');
}
