/** Number of entries of the audit log after which one of them trims the entries of its team and actor. */
export const trimEvery = 100;

/** Checks whether the entry with an id trims those of its team and actor. */
export const isTrimmedAt = (id: number): boolean => id % trimEvery === 0;
