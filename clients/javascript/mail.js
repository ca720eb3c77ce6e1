import { readableText } from './readable-text.js';
import { authenticate, compareMails, readBytes } from './requests.js';
import { SandpostError } from './sandpost-error.js';

/** An email with all of its content. `fields` is the response of GET /api/messages/{id}. */
export class Mail {
  #server;
  #run;

  constructor(server, run, fields) {
    this.#server = server;
    this.#run = run;
    this.fields = fields;
    this.id = fields.id;
    this.subject = fields.subject;
  }

  code() {
    return this.#one('code', [...new Set(this.fields.codes.map(({ value }) => value))]);
  }

  link(kind) {
    const { links, main_link: main } = this.fields;
    const there = links.map((link) => `${link.kind} ${link.url}`);
    if (kind === undefined) return this.#one('main link', main === null ? [] : [main], there);
    const ofKind = links.filter((link) => link.kind === kind);
    const labelled = ofKind.filter(({ text }) => text !== '');
    const isMain = labelled.some(({ url }) => url === main);
    const urls = (labelled.length > 0 ? labelled : ofKind).map(({ url }) => url);
    return this.#one(`link of kind ${kind}`, isMain ? [main] : urls, there);
  }

  attachment(pattern = '*') {
    const files = this.fields.attachments;
    const like = files.filter(({ filename }) => fits(filename ?? '', pattern));
    const names = (list) => list.map(({ filename }) => filename ?? '');
    this.#one(`attachment ${pattern}`, names(like), names(files));
    return this.#run(readBytes(this.#server, `/api/messages/${this.id}/attachments/${like[0].id}`));
  }

  html() {
    return this.#whole('HTML', this.fields.html, this.fields.html_truncated);
  }

  text() {
    const { text, text_truncated, html_text_truncated } = this.fields;
    return this.#whole(
      'text',
      readableText(this.fields),
      text === null ? html_text_truncated : text_truncated,
    );
  }

  raw() {
    return this.#run(readBytes(this.#server, `/api/messages/${this.id}/raw`));
  }

  /** Compares the email with an earlier one, given in Base64. */
  compareWith(earlier, mask, patterns) {
    return this.#run(compareMails(this.#server, earlier, this.id, mask, patterns));
  }

  /** Evaluates SPF, DKIM and DMARC with another client address and unpublished DNS records. */
  authenticateWith(facts) {
    return this.#run(authenticate(this.#server, this.id, facts));
  }

  #whole(title, text, isTruncated) {
    if (text === null) throw new SandpostError(`${this.#name()} has no ${title}.`);
    if (isTruncated)
      throw new SandpostError(
        `${this.#name()} has more ${title} than a response can contain: read the raw email instead.`,
      );
    return text;
  }

  /** Returns the only value. Throws if there are none or several, and lists them. */
  #one(what, values, there = []) {
    if (values.length === 1) return values[0];
    if (values.length > 1)
      throw new SandpostError(`${this.#name()} has more than one ${what}: ${values.join(', ')}`);
    const has = there.length > 0 ? ` It has: ${there.join(', ')}` : '';
    throw new SandpostError(`${this.#name()} has no ${what}.${has}`);
  }

  #name() {
    return `Email ${this.id} "${this.subject}"`;
  }
}

/**
 * Checks whether a name matches a pattern: a regular expression, or a string in which `*` matches any characters and `?` matches one. A
 * string ignores case.
 */
function fits(name, pattern) {
  if (pattern instanceof RegExp) return name.search(pattern) >= 0;
  const escaped = pattern.replace(/[.+^${}()|[\]\\]/g, '\\$&');
  return new RegExp(`^${escaped.replace(/\*/g, '.*').replace(/\?/g, '.')}$`, 'isu').test(name);
}
