/** Work that takes part of a machine, such as a test file in a process of its own. */
export type Job<Result> = () => Promise<Result>;

/** Jobs that mostly wait, side by side. */
const waitingPlaces = 2;

/**
 * Runs jobs side by side, and yields the result of each when it has ended. Those that mostly wait have two places of their own while
 * there are some; the others share `places()`, and so do the waiting ones once nothing else is left. Throws the first error of a job.
 */
export async function* sideBySide<Result>(
  busy: Job<Result>[],
  waiting: Job<Result>[],
  places: () => number,
): AsyncGenerator<Result> {
  const queues = { busy: [...busy], waiting: [...waiting] };
  const running = new Set<Promise<void>>();
  const results: Result[] = [];
  let waitingNow = 0;
  const begin = (job: Job<Result>, isWaiting: boolean) => {
    if (isWaiting) waitingNow += 1;
    const ended = job()
      .then((result) => void results.push(result))
      .finally(() => {
        running.delete(ended);
        if (isWaiting) waitingNow -= 1;
      });
    ended.catch(() => {});
    running.add(ended);
  };
  for (;;) {
    for (const quiet of queues.waiting.splice(0, waitingPlaces - waitingNow)) begin(quiet, true);
    while (running.size - waitingNow < places()) {
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
