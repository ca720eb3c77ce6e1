const units = ['B', 'KB', 'MB', 'GB', 'TB'];

/** Formats a number of bytes for people, in steps of 1,024: `1.4 KB`, `100 MB`. */
export function size(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  const digits = step > 0 && value < 10 && value % 1 >= 0.05 ? 1 : 0;
  return `${value.toFixed(digits)} ${units[step]}`;
}
