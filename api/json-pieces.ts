/** Characters of a text that are written at a time, and approximate bound of other values. */
const pieceCharacters = 16_384;
/** Characters after which a piece is complete. */
const pieceLength = 65_536;

/** Tells whether a value is too long to be written as JSON in one go. */
export function isLong(value: unknown): boolean {
  return weigh(value, pieceLength) > pieceLength;
}

/**
 * Yields the JSON of a value as `JSON.stringify` writes it, in pieces of some 64 KiB of characters (a control character
 * takes six).
 */
export function* jsonPieces(value: unknown): Generator<string> {
  let piece = '';
  for (const part of parts(value)) {
    piece += part;
    if (piece.length < pieceLength) continue;
    yield piece;
    piece = '';
  }
  yield piece;
}

/** Yields a long text as the inside of a JSON string. Cuts no surrogate pair: a half one would be written as an escape. */
export function* textParts(text: string): Generator<string> {
  for (let start = 0; start < text.length; ) {
    let end = Math.min(start + pieceCharacters, text.length);
    if (end < text.length && /[\uD800-\uDBFF]/.test(text.charAt(end - 1))) end += 1;
    yield JSON.stringify(text.slice(start, end)).slice(1, -1);
    start = end;
  }
}

function* parts(value: unknown): Generator<string> {
  if (typeof value === 'string' && value.length > pieceCharacters) {
    yield '"';
    yield* textParts(value);
    yield '"';
  } else if (weigh(value, pieceCharacters) <= pieceCharacters) {
    yield JSON.stringify(value) ?? 'null';
  } else if (Array.isArray(value)) {
    yield* within(
      '[',
      value.map((item) => ['', item] as const),
      ']',
    );
  } else if (typeof value === 'object' && value !== null) {
    const fields = Object.entries(value).filter(([, field]) => field !== undefined);
    yield* within(
      '{',
      fields.map(([name, field]) => [`${JSON.stringify(name)}:`, field] as const),
      '}',
    );
  }
}

function* within(open: string, items: (readonly [string, unknown])[], close: string): Generator<string> {
  for (const [index, [name, item]] of items.entries()) {
    yield `${index === 0 ? open : ','}${name}`;
    yield* parts(item);
  }
  yield items.length === 0 ? open + close : close;
}

/** Estimates the characters that a value takes. Stops counting beyond `enough`. */
function weigh(value: unknown, enough: number): number {
  if (typeof value === 'string') return value.length + 2;
  return typeof value === 'object' && value !== null ? weighWithin(value, enough) : 8;
}

/**
 * Estimates an object or a list. Separate from `weigh`, so that the engine inlines `weigh` here: most inner values are no
 * objects.
 */
function weighWithin(value: object, enough: number): number {
  let weight = 2;
  if (Array.isArray(value)) {
    for (let index = 0; index < value.length && weight <= enough; index += 1) {
      weight += weigh(value[index], enough - weight);
    }
    return weight;
  }
  for (const name in value) {
    weight += name.length + 4 + weigh(value[name as keyof typeof value], enough - weight);
    if (weight > enough) break;
  }
  return weight;
}
