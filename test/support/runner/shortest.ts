/**
 * Measures a duration in ms until it is below `most`, at most three times. Returns the shortest: a machine delay affects one
 * measurement, a program delay every one.
 */
export async function shortest(most: number, measure: () => Promise<number>): Promise<number> {
  let least = Number.POSITIVE_INFINITY;
  for (let times = 0; times < 3 && least >= most; times += 1) least = Math.min(least, await measure());
  return least;
}

/** Returns how long some work takes, in ms. */
export async function durationOf(work: () => Promise<unknown>): Promise<number> {
  const begun = performance.now();
  await work();
  return performance.now() - begun;
}
