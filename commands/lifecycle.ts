import type { Log } from '#telemetry/log.ts';

/** Time limit of an orderly stop in milliseconds, after which the process exits. The chart gives a pod 45 s. */
const stopWithinMs = 25_000;

/**
 * Time in milliseconds after a signal in which another of the same name is the same one: npm passes on what the terminal has sent
 * to its child already.
 */
const repeatedMs = 500;

/**
 * Runs `open`, which starts parts and registers a function that closes each. Closes them in reverse order on SIGTERM or
 * SIGINT, or if `open` fails. A later signal of the same name ends the process at once.
 */
export async function runUntilStopped(
  log: Log,
  open: (closing: (close: () => Promise<void>) => void) => Promise<void>,
): Promise<void> {
  const closers: (() => Promise<void>)[] = [];
  const closeAll = async () => {
    for (const close of closers.reverse()) {
      await close().catch((err) => log.error({ err }, 'a component failed to close'));
    }
  };
  const stopped = new Promise<string>((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const onSignal = () => resolve(signal);
      process.on(signal, onSignal);
      process.once(signal, () => setTimeout(() => process.off(signal, onSignal), repeatedMs).unref());
    }
  });
  try {
    await open((close) => closers.push(close));
  } catch (error) {
    await closeAll();
    throw error;
  }
  const signal = await stopped;
  log.info({ event: 'stopping', signal }, 'shutdown begins; work under way is finished first');
  const deadline = setTimeout(() => {
    log.error(
      { event: 'stopped' },
      `shutdown timed out after ${stopWithinMs / 1000} s; work under way is aborted`,
    );
    process.exit(1);
  }, stopWithinMs);
  await closeAll();
  clearTimeout(deadline);
  log.info({ event: 'stopped' }, 'shutdown is complete');
}
