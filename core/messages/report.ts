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

/** Media types of a multipart/report's machine-readable part (RFC 3464, RFC 6533, RFC 5965). */
const statusTypes = new Set(['message/delivery-status', 'message/global-delivery-status']);
const complaintType = 'message/feedback-report';

/** Checks whether a part of a multipart/report is the one that `readReport` reads. */
export function isReportPart(contentType: string): boolean {
  return (
    contentType.startsWith('message/') && (statusTypes.has(contentType) || contentType === complaintType)
  );
}

/** Beginnings of subjects of automatic replies, in several languages. */
const replySubject =
  /^(?:auto[ -]?(?:matic |mated )?(?:reply|response)|out of (?:the )?office(?: auto ?reply)?|automatische (?:antwort|beantwoording)|automatisch antwoord|abwesenheitsnotiz|réponse automatique|respuesta automática|risposta automatica|resposta automática|automatiskt svar|automatisk svar|autosvar|odpowiedź automatyczna|автоматический ответ|автоматична відповідь|otomatik yanıt|balasan otomatis|trả lời tự động|自動(?:応答|返信|回覆)|自动(?:答复|回复)|자동 회신|رد تلقائي|תשובה אוטומטית)\s?[:：]/i;

/** Checks whether a message was sent in response to another: RFC 3834 section 5, and the fields and subjects of older programs. */
function isAutoReply({ autoSubmitted, autoReply, subject }: NoticeHeader): boolean {
  return (
    autoSubmitted.some((value) => /^\s*auto-replied\b/i.test(value)) ||
    autoReply.some((value) => !/^(?:no|none|false)?$/i.test(value.trim())) ||
    replySubject.test(subject)
  );
}

/**
 * Reads a report's kind from the message's header. Servers that write no machine-readable part call bounces automatic replies too: those
 * bounces come from the mail server.
 */
export function readNotice(header: NoticeHeader): Report | null {
  const isServer = /^(?:mailer-daemon|postmaster)(?:@|$)/i.test(header.from?.address ?? '');
  return !isServer && isAutoReply(header) ? { kind: 'autoreply', recipients: [] } : null;
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
  /** Values of the fields X-Autoreply and X-Autorespond. */
  autoReply: string[];
  subject: string;
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
