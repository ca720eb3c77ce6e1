/** Composing of messages in threads: the composer of a process, and the loop that the entry of its threads runs. */
export { serveComposing } from '#adapters/composing/compose-drafts.ts';
export { createMailComposer, type MailComposer } from '#adapters/composing/compose-threads.ts';
