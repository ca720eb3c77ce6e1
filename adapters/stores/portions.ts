/** Maximum items and bytes that are sent to a store at once. More would keep the calling thread from requests for too long. */
const most = { items: 500, bytes: 8 * 1024 * 1024 };

/** Divides items into portions that are sent one after the other. A single item may be larger. */
export function* portionsOf<Item>(items: Item[], bytesOf: (item: Item) => number): Generator<Item[]> {
  let portion: Item[] = [];
  let bytes = 0;
  for (const item of items) {
    bytes += bytesOf(item);
    if (portion.length === most.items || (portion.length > 0 && bytes > most.bytes)) {
      yield portion;
      portion = [];
      bytes = bytesOf(item);
    }
    portion.push(item);
  }
  if (portion.length > 0) yield portion;
}
