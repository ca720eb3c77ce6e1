import { afterEach, beforeEach } from 'node:test';
import { isMainThread, Worker } from 'node:worker_threads';

/**
 * Time limits for a test file's process, preloaded by the runner. A file that hangs, or keeps something open after the last test,
 * fails. The worker kills a process whose main thread never returns to its event loop. The attacks by sending on MongoDB have
 * taken 356 s. Several files in one process have twice the time.
 */
const isOne = process.env.SANDPOST_TEST_FILES === undefined;
const forFileMs = isOne ? 590_000 : 1_190_000;
const forThreadMs = forFileMs + 10_000;
/** Time for the last test's hooks, which stop servers, and for starting what the next file needs. */
const afterTestsMs = isOne ? 30_000 : 150_000;

function endAfter(ms: number, reason: string): NodeJS.Timeout {
  const end = () => {
    const open = process.getActiveResourcesInfo().join(', ');
    process.stderr.write(
      `${process.argv[1]} was stopped ${ms / 1000} s after ${reason}; still open: ${open}\n`,
    );
    process.exit(1);
  };
  return setTimeout(end, ms).unref();
}

if (isMainThread) {
  endAfter(forFileMs, 'its start');
  new Worker(`setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${forThreadMs})`, {
    eval: true,
  }).unref();

  let running = 0;
  let leftOpen: NodeJS.Timeout | undefined;
  beforeEach(() => {
    running += 1;
    clearTimeout(leftOpen);
  });
  afterEach(() => {
    running -= 1;
    if (running === 0) leftOpen = endAfter(afterTestsMs, 'its last test');
  });
}
