import { signal } from '@preact/signals';

/** Tells whether the mailboxes are shown as an overlay, on screens too narrow to show them always. */
export const treeOut = signal(false);
