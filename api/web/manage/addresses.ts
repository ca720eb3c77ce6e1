/** Splits the text of a field into addresses, at commas, semicolons, spaces and line breaks. */
export const addressesOf = (text: string): string[] => text.split(/[\s,;]+/).filter((part) => part !== '');
