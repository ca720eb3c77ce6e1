const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

/** Formats a number of bytes for display, in steps of 1,024: `1.4 KiB`, `100 MiB`. */
export function size(bytes: number): string {
  const step = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log2(bytes) / 10));
  const value = bytes / 1024 ** step;
  return `${value < 10 ? Math.round(value * 10) / 10 : Math.round(value)} ${units[step]}`;
}

/** Formats a number for display: `1,234`. */
export const number = (value: number): string => value.toLocaleString('en');

/** Returns a number with its noun: `1 warning`, `3 warnings`. */
export const count = (many: number, one: string) => `${number(many)} ${one}${many === 1 ? '' : 's'}`;
