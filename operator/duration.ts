const units: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Returns the milliseconds in a duration such as 1h30m. The schema allows no other format. */
export function durationMs(text: string): number {
  const parts = text.matchAll(/([0-9]{1,9})(ms|s|m|h)/g);
  return [...parts].reduce((sum, [, digits, unit = '']) => sum + Number(digits) * (units[unit] ?? 0), 0);
}
