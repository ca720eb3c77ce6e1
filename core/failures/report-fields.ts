import type { ReportKind } from '#core/messages/report.ts';

/** Recipient to report on. `reply` is its server's simulated reply, such as `550 5.1.1 No such user`, or empty. */
export type ReportRequest = { address: string; kind: ReportKind; reply: string };

/** Email that a report is about. `orcpt`, `envid`: RCPT and MAIL parameters (RFC 3461), decoded. */
export type ReportFacts = {
  mailFrom: string;
  receivedBy: string;
  receivedAt: Date;
  remoteAddress: string | null;
  envid: string | null;
  recipients: (ReportRequest & { orcpt: string | null })[];
};

/** Stated retry time for delayed mail: 5 days (RFC 5321 section 4.5.4.1). */
const retryMs = 5 * 86_400_000;

/** End of delivery attempts for a delayed email. */
export function retriedUntil({ receivedAt }: Pick<ReportFacts, 'receivedAt'>): Date {
  return new Date(receivedAt.getTime() + retryMs);
}

/** Fields of a message/delivery-status (RFC 3464) or, if `isGlobal`, a message/global-delivery-status (RFC 6533). */
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

/** Fields of a message/feedback-report (RFC 5965). */
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

/** Classes of enhanced status codes (RFC 3463) that an action may have, the usual one first. */
const classes: Partial<Record<ReportKind, string>> = { failed: '54', delayed: '4', delivered: '2' };

/**
 * Returns a reply's enhanced status code, and the reply as one line. Omits a reply that contradicts the report's action. A reply
 * without such a code gets its class's undefined status.
 */
function outcome(kind: ReportKind, reply: string): { status: string; diagnostic: string } {
  const [, code = '', enhanced] = /^(\d{3})(?:[ -](\d\.\d{1,3}\.\d{1,3}))?/.exec(reply) ?? [];
  const allowed = classes[kind] ?? '5';
  const status = enhanced ?? `${code.charAt(0)}.0.0`;
  if (allowed.includes(status.charAt(0)) && code !== '') return { status, diagnostic: oneLine(reply) };
  return { status: `${allowed.charAt(0)}.0.0`, diagnostic: '' };
}

/** Formats an ORCPT as a field. Its type ends at the first semicolon. */
function originalRecipient(orcpt: string): string {
  const end = orcpt.indexOf(';');
  return `${printable(orcpt.slice(0, Math.max(end, 0)) || 'rfc822')}; ${printable(orcpt.slice(end + 1))}`;
}

/** Formats an address with its type. A non-ASCII address is `utf-8`, and escaped outside global reports (RFC 6533 section 3). */
function finalRecipient(address: string, isGlobal: boolean): string {
  const line = oneLine(address);
  if (isAscii(line)) return `rfc822; ${line}`;
  const escaped = (char: string) => `\\x{${char.codePointAt(0)?.toString(16).toUpperCase()}}`;
  return `utf-8; ${isGlobal ? line : line.replace(/[^ -~]/gu, escaped)}`;
}

export function isAscii(text: string): boolean {
  return /^[\0-\x7f]*$/.test(text);
}

/** Encodes all except printable ASCII characters as xtext (RFC 3461 section 4). */
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

/** Date as in RFC 5322 section 3.3. */
export function mailDate(date: Date): string {
  return date.toUTCString().replace('GMT', '+0000');
}
