import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { HttpLoad, HttpOutcome } from './http-load.ts';
import type { SmtpLoad, SmtpOutcome } from './smtp-load.ts';

export type { HttpLoad, SmtpLoad };

/** Loads a server by SMTP from a separate thread. Throws if an email is refused. */
export function loadSmtp(job: SmtpLoad): Promise<SmtpOutcome> {
  return outcomeOf(new Worker(new URL('./smtp-load.ts', import.meta.url), { workerData: job }));
}

/** Loads a server by HTTP from a separate thread. Throws if a response is not 200. */
export function loadHttp(job: HttpLoad): Promise<HttpOutcome> {
  return outcomeOf(new Worker(new URL('./http-load.ts', import.meta.url), { workerData: job }));
}

async function outcomeOf<T>(worker: Worker): Promise<T> {
  const [outcome]: [T] = (await once(worker, 'message')) as [T];
  return outcome;
}
