/** The addresses of a field in which they stand by commas, semicolons, spaces or lines. */
export const addressesOf = (text: string): string[] => text.split(/[\s,;]+/).filter((part) => part !== '');
