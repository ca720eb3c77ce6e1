/** Positive safe integer that is unique among objects of its kind and never reused. IDs are not necessarily assigned in order. */
export type Id = number;

/** Parses an ID from a path segment. Returns null for any other string (`007`, `1e3`, `-1`, `9007199254740993`). */
export function parseId(text: string): Id | null {
  if (!/^[1-9][0-9]{0,15}$/.test(text)) return null;
  const id = Number(text);
  return Number.isSafeInteger(id) ? id : null;
}
