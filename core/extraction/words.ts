import { isAscii } from '#core/ascii.ts';

/** Maximum length, in characters, of a label, a sentence or a URL that is judged. */
export const maxJudged = 2000;

/** Converts text to words: lower case, with one space in place of all other characters, between words and at both ends. */
export function wordsOf(text: string): string {
  const judged = text.slice(0, maxJudged);
  // Unicode's classes take longer.
  if (isAscii(judged))
    return ` ${judged
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, ' ')
      .trim()} `;
  const words = judged.normalize('NFC').toLowerCase().replaceAll('\u0307', '');
  return ` ${words.replace(/[^\p{L}\p{M}\p{N}]+/gu, ' ').trim()} `;
}

/**
 * Reads a list of words in the form to which `wordsOf` converts text. Commas and line ends separate them. `_` is the space at the end of a
 * word: `_log in_` does not match "blog in".
 */
export const listWords = (text: string): string[] =>
  text
    .normalize('NFC')
    .split(/[,\n]/)
    .map((word) => word.trim().replaceAll('_', ' '))
    .filter((word) => word !== '');

/** Converts part of a URL to words. `resetPassword` becomes two words. */
export function wordsOfUrl(text: string): string {
  return wordsOf(text.replace(/(?<=\p{Ll})(?=\p{Lu})/gu, ' '));
}

/**
 * Path, query parameters and fragment parameters of a URL, as a server or page reads them. Parameters without a value count as part of the
 * path.
 */
export function readUrl(url: string): { path: string; parameters: { name: string; value: string }[] } {
  // Browsers treat a backslash as a slash (WHATWG URL, section 4.4).
  const rest = /^(?:[a-z]+:)?\/\/[^/?#]*(.*)$/is.exec(url.replaceAll('\\', '/'))?.[1] ?? url;
  const path: string[] = [];
  const parameters: { name: string; value: string }[] = [];
  for (const piece of rest.slice(0, maxJudged).split(/[?#&;]/)) {
    const at = piece.indexOf('=');
    if (at < 0) path.push(decoded(piece));
    else parameters.push({ name: decoded(piece.slice(0, at)), value: decoded(piece.slice(at + 1)) });
  }
  return { path: path.join('/'), parameters };
}

/** Decodes a URL's escapes, or only ASCII escapes if the result would not be valid UTF-8. */
function decoded(text: string): string {
  const spaced = text.replaceAll('+', ' ');
  if (!spaced.includes('%')) return spaced;
  try {
    return decodeURIComponent(spaced);
  } catch {
    return spaced.replace(/%([0-7][\da-f])/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
  }
}

/** Determines in one pass which of many word lists occur in some text. */
export class WordIndex<Name extends string> {
  /** Words by their first two characters. */
  readonly #words = new Map<number, { word: string; name: Name }[]>();

  constructor(lists: [Name, string[]][]) {
    for (const [name, words] of lists) {
      for (const word of words) {
        const start = startAt(word, 0);
        const known = this.#words.get(start);
        if (known === undefined) this.#words.set(start, [{ word, name }]);
        else known.push({ word, name });
      }
    }
  }

  /** Returns the names of the lists that have at least one word in the text. */
  in(text: string): Set<Name> {
    const found = new Set<Name>();
    for (let at = 0; at + 1 < text.length; at++) {
      const words = this.#words.get(startAt(text, at));
      // Few places begin a word, so the others allocate nothing.
      if (words === undefined) continue;
      for (const { word, name } of words) if (text.startsWith(word, at)) found.add(name);
    }
    return found;
  }

  /** Checks whether one of a list's words is at a position in the text. */
  isAt(text: string, at: number): boolean {
    return this.#words.get(startAt(text, at))?.some(({ word }) => text.startsWith(word, at)) ?? false;
  }
}

/** Encodes two characters as a number. */
function startAt(text: string, at: number): number {
  return (text.charCodeAt(at) << 16) | text.charCodeAt(at + 1);
}
