/** Finds in one pass which of many lists have a word in a text. */
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

  /** Returns the names of the lists that have a word in a text. */
  in(text: string): Set<Name> {
    const found = new Set<Name>();
    for (let at = 0; at + 1 < text.length; at++) {
      for (const { word, name } of this.#words.get(startAt(text, at)) ?? []) {
        if (text.startsWith(word, at)) found.add(name);
      }
    }
    return found;
  }

  /** Tells whether a word of a list is at a place of a text. */
  isAt(text: string, at: number): boolean {
    return this.#words.get(startAt(text, at))?.some(({ word }) => text.startsWith(word, at)) ?? false;
  }
}

/** Makes a number of two characters. */
function startAt(text: string, at: number): number {
  return (text.charCodeAt(at) << 16) | text.charCodeAt(at + 1);
}
