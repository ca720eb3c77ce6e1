import type { ScannedPart } from './scan.ts';

/** Chooses the texts of a mail that are shown as its body. */
export class BodyChoice {
  /** Types of the bodies that each alternative has. */
  readonly #alternatives = new Map<ScannedPart, Set<string>>();

  /**
   * Tests for a text that is body. A name makes no attachment (RFC 2183 section 2.3): a text with a name is body where it
   * is the first of its type in an alternative, and elsewhere if nothing is body before it.
   */
  isBody(part: ScannedPart, outer: ScannedPart[], hasBody: boolean): boolean {
    const isText = part.contentType === 'text/plain' || part.contentType === 'text/html';
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

/** Returns the alternative that a part is a form of: its own, or that of multiparts which begin with it. */
function alternativeOf(part: ScannedPart, outer: ScannedPart[]): ScannedPart | null {
  let place = part;
  for (const multipart of outer.toReversed()) {
    if (multipart.contentType === 'multipart/alternative') return multipart;
    if (multipart.children[0] !== place) return null;
    place = multipart;
  }
  return null;
}
