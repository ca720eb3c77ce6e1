import { setTimeout as pause } from 'node:timers/promises';

/** Waits until something holds, looking every so often; an error after so long, by default 60 s: the machine may be busy. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  withinMs = 60_000,
  everyMs = 5,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await holds())) {
    if (Date.now() > deadline) throw new Error(`not within ${withinMs / 1000} s: ${holds}`);
    await pause(everyMs);
  }
}
