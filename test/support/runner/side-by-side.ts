import { setTimeout as delay } from 'node:timers/promises';

/** Work that takes part of a machine, such as a test file in a separate process. */
export type Job<Result> = () => Promise<Result>;

/**
 * Runs jobs side by side, and yields each result as it arrives. Jobs in `busy` share `places()`, which is called again when a job
 * ends and every `everyMs`. Jobs in a row, which mostly wait, run beside them, one after the other. Throws a job's first error.
 */
export async function* sideBySide<Result>(
  busy: Job<Result>[],
  rows: Job<Result>[][],
  places: () => number,
  everyMs = 2_000,
): AsyncGenerator<Result> {
  const queue = [...busy];
  const waiting = rows.map((row) => [...row]);
  const running = new Set<Promise<void>>();
  const inRows = new Set<Job<Result>[]>();
  const results: Result[] = [];
  const begin = (job: Job<Result>, row: Job<Result>[] | null) => {
    if (row !== null) inRows.add(row);
    const ended = job()
      .then((result) => void results.push(result))
      .finally(() => {
        running.delete(ended);
        if (row !== null) inRows.delete(row);
      });
    ended.catch(() => {});
    running.add(ended);
  };
  for (;;) {
    for (const row of waiting) {
      const next = inRows.has(row) ? undefined : row.shift();
      if (next !== undefined) begin(next, row);
    }
    while (running.size - inRows.size < places()) {
      const next = queue.shift();
      if (next === undefined) break;
      begin(next, null);
    }
    if (running.size === 0) break;
    const clock = new AbortController();
    const tick = delay(everyMs, undefined, clock).catch(() => {});
    await Promise.race([...running, tick]).finally(() => clock.abort());
    yield* results.splice(0);
  }
  yield* results;
}
