import type { AuditFacts, MimeFaultKind } from '#core/audit/facts.ts';
import { findCodes } from '#core/extraction/codes.ts';
import { readLinks } from '#core/extraction/links.ts';
import { addedLines, readableText } from '#core/extraction/readable-text.ts';
import { intro, searchTexts } from '#core/extraction/search-text.ts';
import { introOf } from '#core/extraction/stub-text.ts';
import { type LimitName, limits } from '#core/limits.ts';
import type { Attachment, MessageContent, MimePart } from '#core/messages/content.ts';
import type { Arrival } from '#core/messages/examine.ts';
import { boundHeaders, boundTexts, firstCharacters, reachedByContent } from '#core/messages/mail-record.ts';
import { isReportPart, type Report, readBounceText, readNotice, readReport } from '#core/messages/report.ts';
import { MeasuredBody, SourceBody, TextBody } from './bodies.ts';
import { type FieldContent, readFields } from './fields.ts';
import { readHtml } from './html-text.ts';
import { type LeafSink, MimeScan, type ScannedPart } from './scan.ts';

/** Content that only the message's bytes determine, and the facts for its audit. */
export type ParsedMail = {
  content: Omit<MessageContent, 'authentication' | 'audit'>;
  facts: Omit<AuditFacts, 'maxBytes' | 'authentication' | 'signatures' | 'limitsReached'>;
  reached: Set<LimitName>;
};

/** Reads a message, whole or in pieces. Any bytes result in a content. Throws only errors of `source`. */
export async function parseMail(
  source: Uint8Array | AsyncIterable<Uint8Array>,
  arrival: Arrival,
): Promise<ParsedMail> {
  const reader = new MailReader();
  if (source instanceof Uint8Array) reader.write(source);
  else for await (const piece of source) reader.write(piece);
  return reader.end(arrival);
}

/** Reads one message's bytes. Decodes bodies as they arrive, and measures attachments without keeping them. */
export class MailReader {
  readonly #bodies: { contentType: string; body: TextBody }[] = [];
  readonly #choice = new BodyChoice();
  readonly #attachments = new Map<ScannedPart, MeasuredBody>();
  /** Parts that may contain a report's fields. */
  readonly #statuses: { part: ScannedPart; body: MeasuredBody }[] = [];
  readonly #scan = new MimeScan({
    leaf: (part, outer) => this.#open(part, outer),
    source: (multipart) => new SourceBody(multipart, (body) => this.#bodies.push(body)),
  });

  write(piece: Uint8Array): void {
    this.#scan.write(piece);
  }

  end(arrival: Arrival): ParsedMail {
    const scan = this.#scan.end();
    const troubles: string[] = [];
    const cuts = [scan.facts.headerLimit, scan.facts.structureLimit];
    const reached = new Set<LimitName>(cuts.filter((name) => name !== null));
    const attempt = <T>(read: () => T): T | null => {
      try {
        return read();
      } catch (error) {
        troubles.push(error instanceof Error ? error.message : String(error));
        return null;
      }
    };
    const fields = attempt(() => readFields(scan.fields, reached)) ?? readFields([], reached);
    const text = attempt(() => this.#text('text/plain'));
    const html = attempt(() => this.#text('text/html'));
    const report = attempt(() => this.#report(fields, text, arrival.mailFrom === '', reached));
    const attachments = this.#listAttachments();
    const ids = new Map([...this.#attachments.keys()].map((part, at) => [part, at + 1]));
    const read = attempt(() => digest(fields, text, html, reached)) ?? blank;
    const {
      listUnsubscribe: _,
      autoSubmitted: _a,
      autoReply: _r,
      otpToken: _o,
      failedRecipients: _f,
      undecodable,
      trace: named,
      ...shown
    } = fields;
    const trace = named ?? arrival.trace;
    const bounded = { headers: boundHeaders(shown.headers), ...boundTexts({ text, html }) };
    for (const name of reachedByContent(shown, bounded)) reached.add(name);
    return {
      content: {
        ...shown,
        ...bounded,
        attachments,
        structure: outline(scan.root, ids),
        ...read,
        ...trace,
        ...(arrival.submission && { submission: arrival.submission }),
        ...(report && { report }),
        ...(arrival.transcript && { transcript: arrival.transcript }),
      },
      facts: {
        ...scan.facts,
        faults: this.#faults(scan.facts.faults, undecodable),
        headers: fields.headers,
        receivedAt: arrival.receivedAt,
        submitted: arrival.submitted,
        smtpUtf8: arrival.smtpUtf8,
        hasText: text !== null,
        hasHtml: html !== null,
        parseError: troubles.length === 0 ? null : troubles.join('; '),
      },
      reached,
    };
  }

  /** Chooses a leaf's sink: text that is shown as the body, or an attachment. */
  #open(part: ScannedPart, outer: ScannedPart[]): LeafSink {
    if (this.#choice.isBody(part, outer, this.#bodies.length > 0)) {
      const body = new TextBody(part);
      const contentType = part.contentType === 'text/html' ? 'text/html' : 'text/plain';
      this.#bodies.push({ contentType, body });
      return body;
    }
    const isStatus = outer.length > 0 && isReportPart(part.contentType);
    const left = limits.mail.reportBytes - this.#statusBytes();
    const measured = new MeasuredBody(part, isStatus ? Math.max(0, left) : 0);
    this.#attachments.set(part, measured);
    if (isStatus) this.#statuses.push({ part, body: measured });
    return measured;
  }

  #statusBytes(): number {
    return this.#statuses.reduce((sum, { body }) => sum + body.sizeBytes, 0);
  }

  /** Reads the report that the message contains, if any. Some servers write a part for each recipient, or omit multipart/report. */
  #report(
    fields: FieldContent,
    text: string | null,
    nullSender: boolean,
    reached: Set<LimitName>,
  ): Report | null {
    if (this.#statusBytes() > limits.mail.reportBytes) reached.add('mail.reportBytes');
    const [first] = this.#statuses;
    const whole = this.#statuses.map(({ body }) => body.beginning()).join('\n\n');
    return (
      (first && readReport(first.part.contentType, whole)) ??
      readBounceText(text ?? '', { ...fields, nullSender }) ??
      readNotice(fields)
    );
  }

  #text(contentType: string): string | null {
    const texts = this.#bodies
      .filter((body) => body.contentType === contentType)
      .map(({ body }) => ({ body, text: body.text() }))
      .filter(({ body, text }) => !(body instanceof SourceBody && text.trim() === ''))
      .map(({ text: read }) => read);
    return texts.length === 0 ? null : texts.join('\n');
  }

  /** Joins the faults of the structure, fields and bodies. Keeps the first example of each fault. */
  #faults(found: AuditFacts['faults'], undecodable: string | null): AuditFacts['faults'] {
    const faults = new Map(found);
    const note = (kind: MimeFaultKind, example: string) => {
      if (!faults.has(kind)) faults.set(kind, example);
    };
    if (undecodable !== null) note('undecodable', undecodable);
    for (const { body } of this.#bodies) for (const [kind, example] of body.faults) note(kind, example);
    for (const { fault } of this.#attachments.values()) if (fault !== null) note(fault, '');
    return faults;
  }

  #listAttachments(): Attachment[] {
    return Array.from(this.#attachments, ([part, { sizeBytes, sha256 }], at) => ({
      id: at + 1,
      filename: part.filename,
      contentType: part.contentType,
      sizeBytes,
      disposition: part.disposition ?? (part.contentId === null ? 'attachment' : 'inline'),
      contentId: part.contentId,
      sha256,
      body: { start: part.start, end: part.end, encoding: part.encoding },
    }));
  }
}

type Digest = Pick<MessageContent, 'intro' | 'codes' | 'links' | 'mainLink' | 'search' | 'htmlText'>;
const blank: Digest = {
  ...{ intro: '', codes: [], links: [] },
  search: { subject: '', sender: '', recipients: '', text: '' },
};

/** Derives the introduction, codes, links, search text, and what the HTML adds to the text. */
function digest(
  fields: FieldContent,
  text: string | null,
  html: string | null,
  reached: Set<LimitName>,
): Digest {
  const seen = html === null ? null : readHtml(html);
  const added = seen && addedLines(text, seen.text);
  const body = (seen === null ? text : readableText(text, added)) ?? '';
  if (body.length > limits.mail.searchedCharacters) reached.add('mail.searchedCharacters');
  const shownLines = added && firstCharacters(added, limits.answers.htmlTextCharacters);
  const truncated = shownLines !== added;
  if (truncated) reached.add('answers.htmlTextCharacters');
  const { links, mainLink } = readLinks(
    { text, html: seen, listUnsubscribe: fields.listUnsubscribe },
    fields.subject,
  );
  return {
    intro: seen === null ? intro(body) : introOf(text, seen.text, added !== null),
    ...(shownLines && { htmlText: { added: shownLines, truncated } }),
    codes: findCodes({ otpToken: fields.otpToken, subject: fields.subject, text, html: seen?.text ?? null }),
    links,
    mainLink,
    search: searchTexts({
      subject: fields.subject,
      from: fields.from,
      recipients: [...fields.to, ...fields.cc, ...fields.bcc],
      text: firstCharacters(body, limits.mail.searchedCharacters),
    }),
  };
}

function outline(part: ScannedPart, ids: Map<ScannedPart, number>): MimePart {
  return {
    contentType: part.contentType,
    sizeBytes: part.end - part.start,
    filename: part.filename,
    attachmentId: ids.get(part) ?? null,
    children: part.children.map((child) => outline(child, ids)),
  };
}

const shownTexts = new Set(['text/plain', 'text/html']);
/** Content types of machine-readable text. */
const dataTexts = new Set(['text/calendar', 'text/csv', 'text/directory', 'text/vcard', 'text/x-vcard']);

/** Chooses the parts of an email that are shown as its body. */
class BodyChoice {
  /** Body types that each alternative already has. */
  readonly #alternatives = new Map<ScannedPart, Set<string>>();

  /**
   * Checks whether a part is body text. A name does not make text an attachment (RFC 2183 section 2.3): named text belongs to the body if
   * it is the first of its type in an alternative or, outside alternatives, if no body precedes it. An email that is a single text part
   * of unknown type is plain text (RFC 2046 section 4.1.4).
   */
  isBody(part: ScannedPart, outer: ScannedPart[], hasBody: boolean): boolean {
    const isWhole = outer.length === 0 && part.filename === null && part.contentType.startsWith('text/');
    const isText = shownTexts.has(part.contentType) || (isWhole && !dataTexts.has(part.contentType));
    if (!isText || part.disposition === 'attachment') return false;
    const types = this.#typesOf(alternativeOf(part, outer));
    const isFirst = types === null ? !hasBody : !types.has(part.contentType);
    if (part.filename !== null && !isFirst) return false;
    types?.add(part.contentType);
    return true;
  }

  #typesOf(alternative: ScannedPart | null): Set<string> | null {
    if (alternative === null) return null;
    const types = this.#alternatives.get(alternative) ?? new Set();
    this.#alternatives.set(alternative, types);
    return types;
  }
}

/**
 * Returns the alternative that a part stands for: the nearest multipart/alternative around it, if every multipart in between starts with
 * the part.
 */
function alternativeOf(part: ScannedPart, outer: ScannedPart[]): ScannedPart | null {
  let place = part;
  for (const multipart of outer.toReversed()) {
    if (multipart.contentType === 'multipart/alternative') return multipart;
    if (multipart.children[0] !== place) return null;
    place = multipart;
  }
  return null;
}
