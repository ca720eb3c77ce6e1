/** Calls `done`, then focuses the page's main part: the focused button is gone, and Tab would begin at the page's start. */
export async function afterRemoval(done: () => unknown): Promise<void> {
  await done();
  document.querySelector('main')?.focus();
}
