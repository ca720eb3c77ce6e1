/** Removes what was buried, in the background; a process that dies leaves the rest to the upkeep. */
export type Cascade = { begin(): void };
