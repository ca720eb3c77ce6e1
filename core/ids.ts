/** Positive safe integer, unique among its kind, never reused, in no guaranteed order. */
export type Id = number;

/** Parses an id from a path segment. Returns null for any other text (`007`, `1e3`, `-1`, `9007199254740993`). */
export function parseId(text: string): Id | null {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) return null;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : null;
}
