import { readlinkSync } from 'node:fs';
import { platform } from 'node:os';
import { workerData } from 'node:worker_threads';
import type { DraftReader } from '#adapters/composing/compose-drafts.ts';
import { processorMs } from '#adapters/threads/processor-time.ts';
import { type Moved, moving, serve } from '#adapters/threads/serve.ts';
import { beginTurn, inTurn } from '#adapters/threads/time-limit.ts';

/**
 * Work done off the main thread, by name. A thread loads the modules for a job before the job's time counts. Work that leaves nothing
 * half done when interrupted runs `inTurn`.
 */
const jobsWith = <Given>(draftReader: () => Promise<DraftReader<Given>>) => ({
  checkPatterns: async () => turned((await import('#adapters/assertions/judge-clauses.ts')).checkPatterns),
  compareMails: async () => (await import('#adapters/comparison/compare-mails.ts')).compareMails,
  composeDrafts: async () => {
    const { draftComposer } = await import('#adapters/composing/compose-drafts.ts');
    return draftComposer(await draftReader());
  },
  inspectMail: async () => turned((await import('#adapters/checks/inspect-mail.ts')).inspectMail),
  judgeClauses: async () => turned((await import('#adapters/assertions/judge-clauses.ts')).judgeClauses),
  matchQueries: async () => turned((await import('#adapters/rules/match-queries.ts')).matchQueries),
  writeDocument: async () => {
    const { writeDocument } = await import('#adapters/mail-document/write-document.ts');
    return (...args: Parameters<typeof writeDocument>) => {
      const body = inTurn(() => writeDocument(...args));
      return moving(body, [body.bytes.buffer as ArrayBuffer]);
    };
  },
});

const turned =
  <Args extends unknown[], Result>(job: (...args: Args) => Result) =>
  (...args: Args): Result =>
    inTurn(() => job(...args));

type Loaders = ReturnType<typeof jobsWith<unknown>>;

/** Job functions. Their arguments and results can be copied. */
export type Jobs = { [Name in keyof Loaders]: Awaited<ReturnType<Loaders[Name]>> };

export type JobName = keyof Jobs;

/** Job result without the mark for buffers that move. */
export type ResultOf<Name extends JobName> =
  Awaited<ReturnType<Jobs[Name]>> extends Moved<infer Result> ? Result : Awaited<ReturnType<Jobs[Name]>>;

/** Runs this thread's jobs on behalf of its entry module, which names the reader of requests to send. */
export function serveWorkshop<Given>(draftReader: () => Promise<DraftReader<Given>>): void {
  const jobs = jobsWith(draftReader);
  /** Processor time of the thread in ms at the start of its last job, once started, and at the job's end, and the thread's id. */
  const clock = new Float64Array(workerData as SharedArrayBuffer);
  // Threads have no separate priority on other systems.
  if (platform() === 'linux') clock[2] = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
  serve({
    async run(name: JobName, args: never[], turnMs: number) {
      const job: (...args: never[]) => unknown = await jobs[name]();
      beginTurn(turnMs);
      clock[0] = processorMs();
      try {
        return await job(...args);
      } finally {
        clock[1] = processorMs();
      }
    },
  });
}
