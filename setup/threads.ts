/** Worker threads of the edges: the entry of a thread serves methods, and its `Thread` calls them. */
export { serve } from '#adapters/threads/serve.ts';
export { Thread } from '#adapters/threads/thread.ts';
