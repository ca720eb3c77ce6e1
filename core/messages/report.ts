/**
 * Kinds of reports: delivery status notifications for mail that failed, is delayed or was delivered (RFC 3464), automatic replies (RFC
 * 3834) and complaints (RFC 5965).
 */
export const reportKinds = ['failed', 'delayed', 'delivered', 'autoreply', 'complaint'] as const;
export type ReportKind = (typeof reportKinds)[number];

/** Action that a mail server took for a recipient (RFC 3464 section 2.3.3). */
export const reportActions = ['failed', 'delayed', 'delivered', 'relayed', 'expanded'] as const;
export type ReportAction = (typeof reportActions)[number];

/**
 * Contents of a message that is a report. `status` is an enhanced status code (RFC 3463), and `diagnostic` a server's reply. For a
 * complaint, recipients have only addresses. An automatic reply has no recipients.
 */
export type Report = {
  kind: ReportKind;
  recipients: {
    address: string;
    action: ReportAction | null;
    status: string | null;
    diagnostic: string | null;
  }[];
};

const mostCharacters = 1000;
/** Maximum number of characters of a text that are read as a report. */
const mostText = 65_536;

/** Media types of a multipart/report's machine-readable part (RFC 3464, RFC 6533, RFC 5965). */
const statusTypes = new Set(['message/delivery-status', 'message/global-delivery-status']);
const complaintType = 'message/feedback-report';

/** Checks whether a part of a multipart/report is the one that `readReport` reads. */
export function isReportPart(contentType: string): boolean {
  return (
    contentType.startsWith('message/') && (statusTypes.has(contentType) || contentType === complaintType)
  );
}

/** Checks whether an Auto-Submitted field says that the message was sent in response to another (RFC 3834 section 5). */
function isAutoReply(value: string): boolean {
  return /^\s*auto-replied\b/i.test(value);
}

/**
 * Reads a report's kind from the message's header. Servers that write no machine-readable part call bounces automatic replies too: those
 * bounces name their recipients or come from the mail server.
 */
export function readNotice({ from, autoSubmitted, failedRecipients }: NoticeHeader): Report | null {
  if (failedRecipients.length > 0) {
    const unknown = { action: 'failed' as const, status: null, diagnostic: null };
    return { kind: 'failed', recipients: failedRecipients.map(({ address }) => ({ address, ...unknown })) };
  }
  const isServer = /^(?:mailer-daemon|postmaster)(?:@|$)/i.test(from?.address ?? '');
  return autoSubmitted.some(isAutoReply) && !isServer ? { kind: 'autoreply', recipients: [] } : null;
}

/** Reads a bounce in qmail's format (QSBMF), whose text contains a paragraph for each recipient. */
export function readParagraphs(text: string): Report | null {
  if (!/^\s*Hi\. This is (?:an? |the )/.test(text)) return null;
  const [said = ''] = text.slice(0, mostText).replace(/\r\n?/g, '\n').split(/\n\n-/, 1);
  const recipients = Array.from(
    `${said}\n`.matchAll(/^<([^<>\s]+)>:\n((?:.+\n)*)/gm),
    ([, address = '', why = '']) => ({
      address,
      action: 'failed' as const,
      status: /(?<![\d.])[245]\.\d{1,3}\.\d{1,3}(?!\.?\d)/.exec(why)?.[0] ?? null,
      diagnostic: why.replace(/\s+/g, ' ').trim().slice(0, mostCharacters).toWellFormed() || null,
    }),
  );
  return recipients.length === 0 ? null : { kind: 'failed', recipients };
}

/** Reads a multipart/report's machine-readable part. Returns null if it names no recipient. */
export function readReport(contentType: string, body: string): Report | null {
  const groups = body
    .replace(/\r\n?/g, '\n')
    .split(/\n(?:[ \t]*\n)+/)
    .map(readFields);
  return contentType === complaintType ? readComplaint(groups) : readStatus(groups);
}

type NoticeHeader = {
  from: { address: string } | null;
  autoSubmitted: string[];
  failedRecipients: { address: string }[];
};
type Fields = Map<string, string[]>;

/** Reads a group of fields, by their names in lower case. A line that begins with white space continues the field before it. */
function readFields(group: string): Fields {
  const fields: Fields = new Map();
  for (const line of group.replace(/\n[ \t]+/g, ' ').split('\n')) {
    const colon = line.indexOf(':');
    if (colon < 1) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    const values = fields.get(name);
    const value = line
      .slice(colon + 1)
      .trim()
      .slice(0, mostCharacters)
      .toWellFormed();
    if (values === undefined) fields.set(name, [value]);
    else values.push(value);
  }
  return fields;
}

function readComplaint(groups: Fields[]): Report | null {
  if (!groups.some((fields) => fields.has('feedback-type'))) return null;
  const addresses = groups.flatMap((fields) => fields.get('original-rcpt-to') ?? []).map(bare);
  const unknown = { action: null, status: null, diagnostic: null };
  return { kind: 'complaint', recipients: addresses.map((address) => ({ address, ...unknown })) };
}

function readStatus(groups: Fields[]): Report | null {
  const recipients = groups.flatMap((fields): Report['recipients'] => {
    const first = (name: string) => fields.get(name)?.[0] ?? null;
    const named = first('final-recipient') ?? first('original-recipient');
    if (named === null) return [];
    const word = first('action')?.toLowerCase().split(/\W/, 1)[0];
    return [
      {
        address: bare(untyped(named)),
        action: reportActions.find((action) => action === word) ?? null,
        status: /\d\.\d{1,3}\.\d{1,3}/.exec(first('status') ?? '')?.[0] ?? null,
        diagnostic: first('diagnostic-code') && untyped(first('diagnostic-code') ?? ''),
      },
    ];
  });
  if (recipients.length === 0) return null;
  const kinds = new Set(recipients.map(kindOf));
  return { kind: reportKinds.find((kind) => kinds.has(kind)) ?? 'failed', recipients };
}

/** Returns the kind of a report on one recipient, from the recipient's action or, if the action is unknown, from the status. */
function kindOf({ action, status }: Report['recipients'][number]): ReportKind {
  if (action === 'failed' || action === 'delayed') return action;
  if (action !== null) return 'delivered';
  return status?.startsWith('2') ? 'delivered' : status?.startsWith('4') ? 'delayed' : 'failed';
}

/** Removes the address or server type before a value: `rfc822;`, `smtp;`. */
const untyped = (value: string) => value.replace(/^[\w-]+\s*;\s*/, '');

const bare = (address: string) => address.replace(/^<(.*)>$/, '$1');
