/** Queue that serves parties in turn. Each party's own items are served in order. */
export class FairQueue<Item, Party = string> {
  /** Items by party, in the order of the parties' turns. */
  readonly #byParty = new Map<Party, Item[]>();
  #size = 0;

  get size(): number {
    return this.#size;
  }

  sizeOf(party: Party): number {
    return this.#byParty.get(party)?.length ?? 0;
  }

  push(party: Party, item: Item): void {
    this.#itemsOf(party).push(item);
    this.#size += 1;
  }

  /** Inserts an item before its party's other items. */
  unshift(party: Party, item: Item): void {
    this.#itemsOf(party).unshift(item);
    this.#size += 1;
  }

  /** Returns the next item without removing it. */
  peek(): Item | undefined {
    for (const [first] of this.#byParty.values()) return first;
    return undefined;
  }

  /** Removes and returns the next item. Its party's next turn comes after all other parties'. */
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

  /** Removes and returns the next item of a party. */
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
