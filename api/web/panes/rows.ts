import type { MessageSummary } from '../client/shapes.ts';

/**
 * Long list of messages by position, newest first, of which only some pages are known. Positions are the API's: page n of 100 begins at
 * position (n - 1) * 100.
 */
export class Rows {
  #items: (MessageSummary | undefined)[] = [];
  readonly #ids = new Set<number>();
  /** Positions by id. Null after a change. */
  #positions: Map<number, number> | null = null;

  get total(): number {
    return this.#items.length;
  }

  at(position: number): MessageSummary | undefined {
    return this.#items[position];
  }

  has(id: number): boolean {
    return this.#ids.has(id);
  }

  /** Returns a message's position, or -1 if its page is not known. */
  indexOf(id: number): number {
    if (!this.#ids.has(id)) return -1;
    this.#positions ??= new Map(
      this.#items.flatMap((item, at) => (item === undefined ? [] : [[item.id, at]])),
    );
    return this.#positions.get(id) ?? -1;
  }

  find(id: number): MessageSummary | undefined {
    return this.#items[this.indexOf(id)];
  }

  /** Returns the known messages. */
  known(): MessageSummary[] {
    return this.#items.filter((item) => item !== undefined);
  }

  /**
   * Adds a page at position `start` of a list of `total` messages. Messages known at other positions stay, but no message occurs twice.
   */
  setPage(start: number, items: MessageSummary[], total: number): void {
    this.#items.length = total;
    this.#positions = null;
    const ids = new Set(items.map(({ id }) => id));
    for (const id of ids.intersection(this.#ids)) this.#items[this.indexOf(id)] = undefined;
    this.#positions = null;
    items.forEach((item, offset) => {
      const position = start + offset;
      if (position >= 0 && position < total) this.#items[position] = item;
    });
    this.#recount();
  }

  /** Adds new messages at the beginning. Returns those that were not known before. */
  prepend(items: MessageSummary[]): MessageSummary[] {
    const fresh = items.filter(({ id }) => !this.#ids.has(id));
    // Bounded: a page of a list.
    this.#items.unshift(...fresh);
    this.#positions = null;
    for (const { id } of fresh) this.#ids.add(id);
    return fresh;
  }

  /** Removes messages. Returns false if none of them was known. */
  remove(ids: readonly number[]): boolean {
    const gone = new Set(ids).intersection(this.#ids);
    if (gone.size === 0) return false;
    // A copy has undefined values in place of holes, which a filter would skip.
    this.#items = [...this.#items].filter((item) => item === undefined || !gone.has(item.id));
    for (const id of gone) this.#ids.delete(id);
    this.#positions = null;
    return true;
  }

  change(id: number, change: Partial<MessageSummary>): void {
    const position = this.indexOf(id);
    const item = this.#items[position];
    if (item !== undefined) this.#items[position] = { ...item, ...change };
  }

  #recount(): void {
    this.#ids.clear();
    for (const item of this.#items) if (item !== undefined) this.#ids.add(item.id);
  }
}
