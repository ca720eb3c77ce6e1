import { connect } from 'node:net';
import { Worker } from 'node:worker_threads';
import type { startProcess as startReal } from '#test/support/program/process.ts';
import { freePort } from '#test/support/runner/free-port.ts';
import { until } from '#test/support/runner/until.ts';
import { planVariable } from './plan.ts';

/**
 * Replacement of `test/support/program/process.ts` that runs the program in a thread, so that changes of its sources can be
 * switched while it runs. A thread takes no signals and has no output of its own: stopping it terminates it, and its log
 * is not collected.
 */
export const startProcess: typeof startReal = async (command, settings) => {
  const ports = { http: await freePort(), smtp: await freePort(), ops: await freePort() };
  const worker = new Worker(new URL('../../sandpost.ts', import.meta.url), {
    argv: [command],
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      TMPDIR: process.env.TMPDIR,
      [planVariable]: process.env[planVariable],
      SANDPOST_DNS_SERVERS: '127.0.0.1:9',
      SANDPOST_HTTP_PORT: String(ports.http),
      SANDPOST_SMTP_PORT: String(ports.smtp),
      SANDPOST_OPS_PORT: String(ports.ops),
      ...settings,
    },
  });
  let alive = true;
  worker.once('exit', () => {
    alive = false;
  });
  const end = async () => {
    if (alive) await worker.terminate();
  };
  // The last port that the program opens.
  const last = command === 'smtp' ? ports.smtp : ports.http;
  await until(async () => !alive || (await answers(last)), 60_000);
  if (!alive) throw new Error('the program ended before it listened');
  return {
    ports: { ...ports, smtps: 0 },
    pid: process.pid,
    log: [],
    alive: () => alive,
    freeze() {},
    kill: end,
    async stop() {
      await end();
      return 0;
    },
  };
};

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('error', () => resolve(false));
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
  });
}
