/** Counts the lines of text. Places must be queried in ascending order. */
export class LineCounter {
  readonly #text: string;
  #line: number;
  #next: number;

  /** `line`: number of the first line. */
  constructor(text: string, line = 1) {
    this.#text = text;
    this.#line = line;
    this.#next = text.indexOf('\n');
  }

  /** Returns the line of a place, which must not precede the previous place. */
  at(place: number): number {
    while (this.#next >= 0 && this.#next < place) {
      this.#line += 1;
      this.#next = this.#text.indexOf('\n', this.#next + 1);
    }
    return this.#line;
  }
}
