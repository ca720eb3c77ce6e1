import { signal } from '@preact/signals';

/** Tells whether the mailboxes are out, where there is no room to show them always. */
export const treeOut = signal(false);
