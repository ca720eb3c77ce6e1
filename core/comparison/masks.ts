import { codePattern } from './codes.ts';
import { maskDates } from './dates.ts';
import { maskIds } from './ids.ts';
import type { MaskKind } from './kinds.ts';

/** Number of masked values of each kind. `patterns`: values that the user's expressions matched. */
export type Masked = Record<MaskKind | 'patterns', number>;

export const noMasks = (): Masked => ({ ids: 0, dates: 0, codes: 0, queries: 0, patterns: 0 });

/** URL. The query is optional in the pattern: otherwise, a URL without one would be searched again from each `http://` within it. */
const url = /(\bhttps?:\/\/[^\s"'<>?#]+)(\?[^\s"'<>#]*)?/gi;

/** Names of the fields whose values are IDs, in lower case. */
const idFields = new Set([
  'message-id',
  'in-reply-to',
  'references',
  'content-id',
  'x-message-id',
  'resent-message-id',
]);
const signatures = /^(?:dkim-signature|arc-seal|arc-message-signature|arc-authentication-results)$/;

/** Masks for one email. Replaces some kinds of values with the kind's name in brackets and counts them. Takes linear time. */
export class Masks {
  readonly masked = noMasks();
  readonly #kinds: readonly MaskKind[];
  readonly #codes: RegExp;

  constructor(kinds: readonly MaskKind[], codes: readonly string[]) {
    this.#kinds = kinds;
    this.#codes = codePattern(codes);
  }

  has(kind: MaskKind): boolean {
    return this.#kinds.includes(kind);
  }

  /** Counts a value of the given kind. Returns its replacement. */
  value(kind: 'ids' | 'dates' | 'codes' | 'queries'): string {
    this.masked[kind] += 1;
    return { ids: '[id]', dates: '[date]', codes: '[code]', queries: '[query]' }[kind];
  }

  text(text: string): string {
    let masked = text;
    if (this.has('queries'))
      masked = masked.replace(url, (whole, start, query) =>
        query ? `${start}?${this.value('queries')}` : whole,
      );
    if (this.has('codes')) masked = masked.replace(this.#codes, () => this.value('codes'));
    if (this.has('ids')) masked = maskIds(masked, () => this.value('ids'));
    if (this.has('dates')) masked = maskDates(masked, () => this.value('dates'));
    return masked;
  }

  /** Masks a header field's value. The name must be in lower case. */
  field(name: string, value: string): string {
    let masked = value;
    if (this.has('ids')) {
      if (idFields.has(name)) return masked.trim() === '' ? '' : this.value('ids');
      const id = (_: string, before: string) => `${before}${this.value('ids')}`;
      if (signatures.test(name)) masked = masked.replace(/\b(bh?=)[^;]*/g, id);
      masked = masked.replace(/\b(boundary=)(?:"[^"]*"|[^\s;]+)/gi, id);
      if (name === 'received') masked = masked.replace(/\b(id )[^\s;]+/gi, id);
    }
    // A signature's times are in seconds (RFC 6376 section 3.5).
    if (this.has('dates') && signatures.test(name))
      masked = masked.replace(/\b([tx]=)\d+/g, (_, before) => `${before}${this.value('dates')}`);
    return this.text(masked);
  }
}
