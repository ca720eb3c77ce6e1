/** Work that takes part of a machine, such as a test file in a process of its own. */
export type Job<Result> = () => Promise<Result>;

/**
 * Runs jobs side by side, and yields the result of each when it has ended. One of those that mostly wait has a place of its own
 * while there is one; the others share `places()`, and so do the waiting ones once nothing else is left. Throws the first error of a job.
 */
export async function* sideBySide<Result>(
  busy: Job<Result>[],
  waiting: Job<Result>[],
  places: () => number,
): AsyncGenerator<Result> {
  const queues = { busy: [...busy], waiting: [...waiting] };
  const running = new Set<Promise<void>>();
  const results: Result[] = [];
  let hasWaiting = false;
  const begin = (job: Job<Result>, isWaiting: boolean) => {
    if (isWaiting) hasWaiting = true;
    const ended = job()
      .then((result) => void results.push(result))
      .finally(() => {
        running.delete(ended);
        if (isWaiting) hasWaiting = false;
      });
    ended.catch(() => {});
    running.add(ended);
  };
  for (;;) {
    const quiet = hasWaiting ? undefined : queues.waiting.shift();
    if (quiet !== undefined) begin(quiet, true);
    while (running.size - (hasWaiting ? 1 : 0) < places()) {
      const next = queues.busy.shift() ?? queues.waiting.shift();
      if (next === undefined) break;
      begin(next, false);
    }
    if (running.size === 0) break;
    await Promise.race(running);
    yield* results.splice(0);
  }
  yield* results;
}
