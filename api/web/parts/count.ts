/** Formats a number for people: `1,234`. */
export const number = (value: number): string => value.toLocaleString('en');

/** Returns a number with its noun: `1 warning`, `3 warnings`. */
export const count = (many: number, one: string) => `${number(many)} ${one}${many === 1 ? '' : 's'}`;
