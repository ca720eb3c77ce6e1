import { isMainThread, Worker } from 'node:worker_threads';

/**
 * Preloaded into each test file's process: ends a file that hangs, or holds something open when its tests are done.
 * The worker ends one whose main thread never comes back to its loop.
 */
const forFileMs = 390_000;
const lastMs = forFileMs + 10_000;

if (isMainThread) {
  const end = () => {
    process.stderr.write(`${process.argv[1]} was ended after ${forFileMs / 1000} s\n`);
    process.exit(1);
  };
  setTimeout(end, forFileMs).unref();
  new Worker(`setTimeout(() => process.kill(process.pid, 'SIGKILL'), ${lastMs})`, { eval: true }).unref();
}
