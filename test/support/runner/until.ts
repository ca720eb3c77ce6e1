import { setTimeout as pause } from 'node:timers/promises';

/**
 * Waits until a condition is true, and throws after two minutes by default: the machine may be busy. Polls less often than the
 * program's rate limit allows.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  withinMs = 120_000,
  everyMs = 20,
): Promise<void> {
  const deadline = Date.now() + withinMs;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`Not true within ${withinMs / 1000} s: ${condition}`);
    await pause(everyMs);
  }
}
