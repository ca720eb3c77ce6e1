/** Queue that serves parties in turn. Items of one party are taken in order. */
export class FairQueue<Item, Party = string> {
  /** Items by party. The party whose turn is next comes first. */
  readonly #byParty = new Map<Party, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** Returns the number of items of a party. */
  sizeOf(party: Party): number {
    return this.#byParty.get(party)?.length ?? 0;
  }

  push(party: Party, item: Item): void {
    this.#itemsOf(party).push(item);
    this.#size += 1;
  }

  /** Puts an item before the others of its party. */
  unshift(party: Party, item: Item): void {
    this.#itemsOf(party).unshift(item);
    this.#size += 1;
  }

  /** Returns the item that would be taken next. */
  peek(): Item | undefined {
    for (const [first] of this.#byParty.values()) return first;
    return undefined;
  }

  /** Takes the next item. Its party goes behind all others. */
  shift(): Item | undefined {
    for (const [party, items] of this.#byParty) {
      const item = items.shift();
      this.#byParty.delete(party);
      if (items.length > 0) this.#byParty.set(party, items);
      this.#size -= 1;
      return item;
    }
    return undefined;
  }

  /** Takes the next item of a party. */
  shiftOf(party: Party): Item | undefined {
    const items = this.#byParty.get(party);
    if (items === undefined) return undefined;
    const item = items.shift();
    if (items.length === 0) this.#byParty.delete(party);
    this.#size -= 1;
    return item;
  }

  #itemsOf(party: Party): Item[] {
    const items = this.#byParty.get(party) ?? [];
    this.#byParty.set(party, items);
    return items;
  }
}
