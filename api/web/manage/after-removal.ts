/** Puts the focus, whose button has gone with what was removed, back on the page rather than at its very start. */
export async function afterRemoval(done: () => unknown): Promise<void> {
  await done();
  document.querySelector('main')?.focus();
}
