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
export type Report = { kind: ReportKind; recipients: Recipient[] };

type Recipient = {
  address: string;
  action: ReportAction | null;
  status: string | null;
  diagnostic: string | null;
};

/** Maximum characters of a line that are read, and of a diagnostic. */
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
  const recipients = groups.flatMap((fields): Recipient[] => {
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
function kindOf({ action, status }: Recipient): ReportKind {
  if (action === 'failed' || action === 'delayed') return action;
  if (action !== null) return 'delivered';
  return status?.startsWith('2') ? 'delivered' : status?.startsWith('4') ? 'delayed' : 'failed';
}

/** Removes the address or server type before a value: `rfc822;`, `smtp;`. */
const untyped = (value: string) => value.replace(/^[\w-]+\s*;\s*/, '');

const bare = (address: string) => address.replace(/^<(.*)>$/, '$1');

type BounceHeader = {
  from: { address: string } | null;
  to: { address: string }[];
  subject: string;
  /** Addresses in the X-Failed-Recipients fields, which Exim and Google write. */
  failedRecipients: { address: string }[];
  /** Whether the envelope sender is empty, as in any bounce (RFC 5321 section 4.5.5). */
  nullSender: boolean;
};

const mostText = 32_768;
const mostRecipients = 100;

const daemon = /^mailer-daemon(?:@|$)/i;
const postmaster = /^(?:post_?master|mail[._-]delivery[._-](?:sub)?system)(?:@|$)/i;
const failure =
  /undeliver|returned mail|delivery\b.{0,20}\bfail|fail(?:ure|ed) (?:delivery|notice)|(?:not|n't) be(?:en)? delivered|(?:unable|fail(?:ure|ed)?|errors?|problems?) (?:to )?deliver|error deliver|delivery (?:error|problem|status)|did not reach|invalid user|user unknown|配信(?:でき|不能)|送信できま|unzustellbar|zustellung fehl|non remis|no se ha podido entregar/i;
const delay = /\bdelay(?:ed)?\b|not yet been delivered|will (?:be )?retr(?:y|ied)|warning[: ]/i;
/** First line of the mail that a bounce returns. */
const returned =
  /^(?:received|return-path|message-id):|^\W*(?:.{0,40}\b(?:copy of|is a copy|header of the original)|(?:the )?original message(?! was)|unsent message|returned message|message headers? follow)/i;
const headerLine = /^\s*(?:from|to|cc|subject|sent|date|message-id|mail from|reply-to)\s*:/i;
const contact = /contact|assist|support|\bhelp|forward|mail to/i;
const status = /(?<![\d.])[45]\.\d{1,3}\.\d{1,3}(?!\.?\d)/;
const reply = /(?<![\d.])[45]\d\d[ -]/;

/**
 * Reads a bounce that is written for people: its text names each recipient at the beginning or end of a line, and then the reason. Only
 * mail servers send bounces, from their own addresses, without an envelope sender, or with the recipients in a field. qmail's format (QSBMF)
 * has its own greeting.
 */
export function readBounceText(text: string, header: BounceHeader): Report | null {
  const failed = new Map(header.failedRecipients.map(({ address }) => [address.toLowerCase(), address]));
  if (failed.size === 0 && !isBounce(text.slice(0, 2000), header)) return null;
  const lines = text
    .slice(0, mostText)
    .split(/\r\n?|\n/)
    .map((line) => line.slice(0, mostCharacters));
  if (lines.some((line) => /^final-recipient:/i.test(line)))
    return readReport('message/delivery-status', lines.join('\n'));
  const end = lines.findIndex((line) => returned.test(line));
  const said = end < 0 ? lines : lines.slice(0, end);
  const own = header.from?.address.toLowerCase();
  const named = said.flatMap((line, at) => addressesOf(line).map((found) => ({ ...found, at })));
  const others = named.filter(({ address }) =>
    failed.size > 0 ? failed.has(address.toLowerCase()) : address.toLowerCase() !== own,
  );
  const senders = new Set(header.to.map(({ address }) => address.toLowerCase()));
  const strangers = others.filter(({ address }) => !senders.has(address.toLowerCase()));
  const candidates = strangers.length > 0 ? strangers : others;
  const alone = candidates.filter(({ isAlone }) => isAlone);
  const first = new Map(
    (alone.length > 0 ? alone : candidates.slice(0, 1)).toReversed().map((one) => [one.address, one]),
  );
  const places = [...first.values()].toReversed().slice(0, mostRecipients);
  const action = delay.test(`${header.subject}\n${said.join('\n')}`) ? 'delayed' : 'failed';
  const recipients = places.map(({ address, at, rest }, place): Recipient => {
    const why = reasonOf(rest, said.slice(at + 1, places[place + 1]?.at), places.length === 1 ? said : []);
    return { address, action, status: status.exec(why)?.[0] ?? null, diagnostic: why || null };
  });
  for (const { address } of recipients) failed.delete(address.toLowerCase());
  for (const address of failed.values()) recipients.push({ address, action, status: null, diagnostic: null });
  return recipients.length === 0 ? null : { kind: action, recipients };
}

function isBounce(start: string, { from, subject, nullSender }: BounceHeader): boolean {
  if (/^\s*Hi\. This is (?:an? |the )/.test(start)) return true;
  const sender = from?.address ?? '';
  return (
    daemon.test(sender) || ((nullSender || postmaster.test(sender)) && failure.test(`${subject}\n${start}`))
  );
}

/** Finds a line's addresses. `isAlone` says that the address begins or ends the line, and `rest` is the text behind it. */
function addressesOf(line: string): { address: string; rest: string; isAlone: boolean }[] {
  if (!line.includes('@') || headerLine.test(line)) return [];
  const found = line.matchAll(/[^\s<>"'():;,[\]@]{1,100}@[^\s<>"'():;,[\]@]{1,255}(?<!\.)/g);
  return Array.from(found, ({ 0: address, index }) => {
    const rest = line.slice(index + address.length);
    const begins = /^[\s>*"<-]*$/.test(line.slice(0, index));
    const ends = /^[>".:\s]*$/.test(rest) && !contact.test(line);
    return { address, rest: rest.replace(/^[>":.\s]+/, ''), isAlone: begins || ends };
  });
}

/** Returns the text behind an address, the paragraph that it begins or, otherwise, a line with a server's reply. */
function reasonOf(rest: string, lines: string[], all: string[]): string {
  const end = lines.findIndex((line) => line.trim() === '');
  const paragraph = [rest, ...(end < 0 ? lines : lines.slice(0, end))].filter(
    (line) => !headerLine.test(line),
  );
  const says = paragraph.some((line) => /\p{L}/u.test(line.replace(/<[^<>]*>/g, '')));
  const why = says ? paragraph.join(' ') : ([...lines, ...all].find((line) => reply.test(line)) ?? '');
  return why.replace(/\s+/g, ' ').trim().slice(0, mostCharacters).toWellFormed();
}
