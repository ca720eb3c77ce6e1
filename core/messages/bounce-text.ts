import { type Report, readReport } from './report.ts';

type BounceHeader = {
  from: { address: string } | null;
  to: { address: string }[];
  subject: string;
  /** Addresses in the X-Failed-Recipients fields, which Exim and Google write. */
  failedRecipients: { address: string }[];
  /** Whether the envelope sender is empty, as in any bounce (RFC 5321 section 4.5.5). */
  nullSender: boolean;
};
type Recipient = Report['recipients'][number];

const mostText = 32_768;
const mostRecipients = 100;
/** Maximum characters of a line that are read, and of a diagnostic. */
const mostCharacters = 1000;

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
