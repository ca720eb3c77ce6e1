/** Focuses the page's main part: the button that had the focus is gone, and Tab would begin at the page's start. */
export async function afterRemoval(done: () => unknown): Promise<void> {
  await done();
  document.querySelector('main')?.focus();
}
