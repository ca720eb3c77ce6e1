import type { MessageSummary } from '../client/shapes.ts';

/**
 * Long list of messages of which only some pages are known, by position, newest first. Positions are those of the API: page
 * n of 100 begins at position (n - 1) * 100.
 */
export class Rows {
  #items: (MessageSummary | undefined)[] = [];
  readonly #ids = new Set<number>();

  get total(): number {
    return this.#items.length;
  }

  at(position: number): MessageSummary | undefined {
    return this.#items[position];
  }

  has(id: number): boolean {
    return this.#ids.has(id);
  }

  /** Returns the position of a message, or -1 if its page is not known. */
  indexOf(id: number): number {
    return this.#ids.has(id) ? this.#items.findIndex((item) => item?.id === id) : -1;
  }

  find(id: number): MessageSummary | undefined {
    return this.#items[this.indexOf(id)];
  }

  /** Returns the known messages. */
  known(): MessageSummary[] {
    return this.#items.filter((item) => item !== undefined);
  }

  /** Adds a page from position `start` of a list of `total`. Messages known at other positions stay, each once. */
  setPage(start: number, items: MessageSummary[], total: number): void {
    this.#items.length = total;
    const ids = new Set(items.map(({ id }) => id));
    for (const id of ids.intersection(this.#ids)) this.#items[this.indexOf(id)] = undefined;
    items.forEach((item, offset) => {
      const position = start + offset;
      if (position >= 0 && position < total) this.#items[position] = item;
    });
    this.#recount();
  }

  /** Puts new messages first. Returns those that were not known. */
  prepend(items: MessageSummary[]): MessageSummary[] {
    const fresh = items.filter(({ id }) => !this.#ids.has(id));
    this.#items.unshift(...fresh);
    for (const { id } of fresh) this.#ids.add(id);
    return fresh;
  }

  /** Removes a message. Returns false if it was not known. */
  remove(id: number): boolean {
    const position = this.indexOf(id);
    if (position < 0) return false;
    this.#items.splice(position, 1);
    this.#ids.delete(id);
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
