import type { MessageSummary } from '../client/shapes.ts';

/**
 * A long list of which only some pages are known: messages by their position, the newest first. Positions are the API's, so
 * that page n of 100 begins at position (n - 1) * 100.
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

  /** -1 where its page is not known. */
  indexOf(id: number): number {
    return this.#ids.has(id) ? this.#items.findIndex((item) => item?.id === id) : -1;
  }

  find(id: number): MessageSummary | undefined {
    return this.#items[this.indexOf(id)];
  }

  /** All that are known. */
  known(): MessageSummary[] {
    return this.#items.filter((item) => item !== undefined);
  }

  /** Takes a page that begins at `start` of a list of `total`. What was known at other positions stays, but is there once. */
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

  /** Puts what is new before everything else; gives what was. */
  prepend(items: MessageSummary[]): MessageSummary[] {
    const fresh = items.filter(({ id }) => !this.#ids.has(id));
    this.#items.unshift(...fresh);
    for (const { id } of fresh) this.#ids.add(id);
    return fresh;
  }

  /** Whether it was known. */
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
