/** Removes soft-deleted rows, in the background. The upkeep finishes the work of a process that died. */
export type Cascade = { begin(): void };
