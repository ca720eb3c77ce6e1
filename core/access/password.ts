/** Fewest and most characters of a password, in code points. */
export const passwordLength = { least: 10, most: 256 } as const;
