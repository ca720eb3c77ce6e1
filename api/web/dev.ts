import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync } from 'node:fs';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { createServer } from 'vite';

/**
 * Runs Sandpost for development (`npm run dev`). A change to the program restarts it, and a change to the page reaches the
 * browser immediately. Vite serves the page and forwards `/api` and `/clients` to the program.
 */
const begun = performance.now();
const root = path.join(import.meta.dirname, '../..');
const api = `http://localhost:${process.env.SANDPOST_HTTP_PORT ?? 8080}`;

const vite = await createServer({
  configFile: path.join(import.meta.dirname, 'vite.config.ts'),
  logLevel: 'warn',
  clearScreen: false,
  server: { port: 5173, proxy: { '/api': api, '/clients': api } },
});
await vite.listen();
const page = vite.resolvedUrls?.local[0]?.replace(/\/$/, '') ?? api;

/** Sources that restart the program when they change. Vite watches the page's sources. */
const watched = [
  ...['sandpost.ts', 'commands', 'core', 'smtp'],
  ...readdirSync(path.join(root, 'api'))
    .filter((name) => name !== 'web')
    .map((name) => `api/${name}`),
].map((name) => `--watch-path=${path.join(root, name)}`);
/** Keeps Node's watcher from sending module names through the workers' message ports, which the program reads. */
const silence = ['--import', 'data:text/javascript,delete process.env.WATCH_REPORT_DEPENDENCIES'];
const program = spawn(
  process.execPath,
  [...watched, '--watch-preserve-output', ...silence, path.join(root, 'sandpost.ts'), 'start'],
  { stdio: 'inherit', env: { SANDPOST_BASE_URL: page, ...process.env } },
);
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => program.kill(signal));

const ended = once(program, 'exit');
await Promise.race([answers(), ended]);
if (program.exitCode === null && program.signalCode === null) {
  const seconds = ((performance.now() - begun) / 1000).toFixed(1);
  process.stdout.write(`
Ready after ${seconds} s.
  page  ${page}  (reloads on changes)
  API   ${api}/api/docs  (restarts on changes)
  mail  localhost:${process.env.SANDPOST_SMTP_PORT ?? 2525}

`);
}
await ended;
await vite.close();

/** Resolves when the API responds. Keeps waiting if an error in a source prevents the program from starting. */
async function answers(): Promise<void> {
  const isUp = () =>
    fetch(`${api}/api/health`).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isUp())) await pause(100);
}
