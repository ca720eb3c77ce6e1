import { lossOf } from '#adapters/threads/thread-lost.ts';
import { Overloaded } from '#core/errors.ts';
import { limits } from '#core/limits.ts';
import { createFairLimiter, type FairLimiter } from '#gate/fair-limiter.ts';
import { RecentKeys } from '#gate/recent-keys.ts';
import { RecentUse } from '#gate/recent-use.ts';
import type { Metrics } from '#telemetry/metrics.ts';
import { Bench } from './bench.ts';
import { clientGone, identityOf, type Job, type JobOptions, lengthOf, stopping } from './job.ts';
import { type JobBounds, jobBounds } from './job-bounds.ts';
import type { JobName, Jobs, ResultOf } from './serve-workshop.ts';

const { firstMs, turnMs, memoryBytes, heapBytes, largeBytes, longMs, refusedMs } = limits.workshop;

/** Heap bytes for all long jobs together: one large job, or some others. */
const longBytes = memoryBytes - heapBytes;

/** Interval between two checks of a running job, ms. */
const lookMs = 20;

/** Maximum wall-clock time of a job, as a multiple of its processor time, because the machine may have other work. */
const patience = 4;

/** Approximate bytes that a job reads per millisecond. */
const bytesAMs = 10 * 1024;

/**
 * Time in ms for which a party is ranked lower after a job longer than a first turn. By then, other parties have had their first turns.
 */
const triedMs = 2_000;

/** Usage in ms up to which a party counts as unused, so a small job of a party with only occasional jobs precedes a large job. */
const littleMs = 250;

/**
 * Runs jobs in threads that are started on demand. A job starts in the shared thread, with a short first turn of processor time. It gets
 * a longer turn after others' first turns. A job that takes even longer is interrupted, and runs again in another thread. Uninterruptible
 * work continues in its thread, and another thread takes that thread's place. Parties without a recent long job come first, then the
 * party with the least usage. A party has one running job of each kind. The heaps of all threads share one budget.
 */
export class Workshop {
  readonly #entry: URL;
  readonly #limitReached: Metrics['limitReached'];
  readonly #bounds: Record<JobName, JobBounds>;
  readonly #inTurn = new Map<JobName, FairLimiter>();
  readonly #use = new RecentUse<string>();
  readonly #waiting = new Set<Job>();
  readonly #benches = new Set<Bench<Job>>();
  /** Parties that have just had jobs longer than a first turn. */
  readonly #tried = new RecentKeys();
  /** Parties that recently had jobs longer than a turn, and the kinds of these jobs by party. */
  readonly #long = new RecentKeys();
  /** Parties whose jobs were recently lost, and those jobs. */
  readonly #lost = new RecentKeys();
  #isClosed = false;

  /** `entry`: entry module of the threads, which calls `serveWorkshop`. */
  constructor(
    entry: URL,
    limitReached: Metrics['limitReached'],
    bounds: Record<JobName, JobBounds> = jobBounds,
  ) {
    this.#entry = entry;
    this.#limitReached = limitReached;
    this.#bounds = bounds;
  }

  /**
   * Runs a party's job. `prepare` creates the job's arguments when it is the party's turn, so only one job's arguments per kind are in
   * memory, or returns null if there is nothing to do. A large job's bytes move to its thread. Throws what `prepare` and the job throw,
   * TooMany and Overloaded, even if the signal has aborted.
   */
  run<Name extends JobName, Args extends Parameters<Jobs[Name]> | null>(
    name: Name,
    party: string,
    prepare: () => Args | Promise<Args>,
    options: JobOptions<Name> = {},
  ): Promise<ResultOf<Name> | Extract<Args, null>> {
    const { waitMs = Number.POSITIVE_INFINITY, waitedLong } = this.#bounds[name];
    const since = performance.now();
    return this.#limiterOf(name)(party, async () => {
      if (options.signal?.aborted) throw clientGone();
      if (options.instead !== undefined && performance.now() - since > waitMs) {
        if (waitedLong !== undefined) this.#limitReached(waitedLong);
        return options.instead();
      }
      const args = await prepare();
      if (args === null) return args as Extract<Args, null>;
      // The job's name determines the result's type.
      return (await this.#queue(name, party, args, options)) as ResultOf<Name>;
    });
  }

  /** Ends all threads immediately. Running and waiting jobs fail. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const job of waiting) job.reject(stopping());
    await Promise.all([...this.#benches].map((bench) => bench.stop()));
  }

  /** Returns the queue for a kind of job: each party has one running, and a limited number waiting. */
  #limiterOf(name: JobName): FairLimiter {
    const { waiting: waitingPerKey = Number.POSITIVE_INFINITY, full } = this.#bounds[name];
    const onFull = () => full && this.#limitReached(full);
    const limiter = this.#inTurn.get(name) ?? createFairLimiter({ placesPerKey: 1, waitingPerKey, onFull });
    this.#inTurn.set(name, limiter);
    return limiter;
  }

  #queue(name: JobName, party: string, args: unknown[], options: JobOptions<JobName>): Promise<unknown> {
    const { signal } = options;
    if (this.#isClosed) throw stopping();
    if (signal?.aborted) throw clientGone();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const bytes = lengthOf(args);
    const isLarge = bytes > largeBytes;
    const isLong = isLarge || this.#long.has(`${name} ${party}`);
    const kind = { isLarge, isLong, isTried: false, since: null, end: null };
    const job: Job = { name, party, args, bytes, options, resolve, reject, ...kind };
    if (!isLarge && this.#lost.has(party) && this.#lost.has(identityOf(job))) {
      throw new Overloaded(`${this.#bounds[name].lost} a few minutes ago`);
    }
    const drop = () => this.#drop(job);
    signal?.addEventListener('abort', drop);
    this.#waiting.add(job);
    this.#assign();
    return promise.finally(() => signal?.removeEventListener('abort', drop));
  }

  /** Drops a waiting job, or a job running in a separate thread. */
  #drop(job: Job): void {
    if (this.#waiting.delete(job)) job.reject(clientGone());
    for (const bench of this.#longOf(job.party)) if (bench.job === job) this.#end(bench, 'dropped');
  }

  /** Starts jobs while threads are available. */
  #assign(): void {
    if (this.#isClosed) return;
    for (const isLong of [false, true]) {
      for (;;) {
        const job = this.#next(isLong);
        const bench = job && this.#benchFor(job);
        if (job === null || bench === null) break;
        this.#waiting.delete(job);
        void this.#work(bench, job);
      }
    }
  }

  /**
   * Returns the next job: parties without a recent job longer than a turn come first, then the party with the least usage
   * including this job.
   */
  #next(isLong: boolean): Job | null {
    let least = Number.POSITIVE_INFINITY;
    let chosen: Job | null = null;
    for (const job of this.#waiting) {
      if (job.isLong !== isLong || (isLong && this.#longOf(job.party).length > 0)) continue;
      const late = this.#long.has(job.party) ? longMs : 0;
      const tried = (job.isTried ? turnMs : 0) + (this.#tried.has(job.party) ? firstMs : 0);
      const before = late + tried + Math.max(0, this.#use.of(job.party) - littleMs);
      const used = before + job.bytes / bytesAMs;
      if (used < least) [least, chosen] = [used, job];
    }
    return chosen;
  }

  /** Returns the threads with long jobs, of one party or of all. */
  #longOf(party: string | null): Bench<Job>[] {
    return [...this.#benches].filter(
      ({ job }) => job?.isLong === true && (party === null || job.party === party),
    );
  }

  #hasRoom(job: Job): boolean {
    return heapOf(this.#longOf(null)) + (job.isLarge ? longBytes : heapBytes) <= longBytes;
  }

  /** Returns a thread for a job. Null if the shared thread is busy, or the memory for long jobs is used up. */
  #benchFor(job: Job): Bench<Job> | null {
    const benches = [...this.#benches];
    const isFree = job.isLong ? this.#hasRoom(job) : !benches.some((bench) => bench.job?.isLong === false);
    if (!isFree) return null;
    // Threads for long jobs are ended before the shared one.
    const idle = benches.filter(({ job }) => job === null).sort((a, b) => Number(b.isLow) - Number(a.isLow));
    const fitting = idle.find(({ isLow }) => isLow === job.isLong);
    if (!job.isLarge && fitting !== undefined) return fitting;
    const bench = new Bench<Job>(this.#entry, job.isLarge ? longBytes : heapBytes);
    for (const other of idle) {
      if (heapOf(this.#benches) + bench.heapBytes <= memoryBytes) break;
      this.#end(other);
    }
    this.#benches.add(bench);
    return bench;
  }

  async #work(bench: Bench<Job>, job: Job): Promise<void> {
    const begun = performance.now();
    const watch = setInterval(() => void this.#look(bench, job), lookMs).unref();
    bench.job = job;
    try {
      // Moves only large jobs' buffers. A small job keeps its arguments because it may restart in another thread.
      const moved = job.bytes > largeBytes ? job.args.filter((arg) => arg instanceof Uint8Array) : [];
      const buffers = new Set(moved.map(({ buffer }) => buffer as ArrayBuffer));
      const turn = job.isTried ? turnMs : firstMs;
      const ms = job.isLong ? Number.POSITIVE_INFINITY : turn;
      job.resolve(await bench.run(job.name, job.args, ms, [...buffers]));
    } catch (error) {
      this.#fail(job, error);
    }
    clearInterval(watch);
    this.#use.add(job.party, bench.usedMs ?? performance.now() - begun);
    bench.job = null;
    if (job.isLarge) this.#end(bench);
    this.#assign();
  }

  /** Ends a late job. Moves a job that has used its turn to another thread. */
  async #look(bench: Bench<Job>, job: Job): Promise<void> {
    if (bench.job !== job || !bench.hasBegun) return;
    job.since ??= performance.now();
    if (job.isLong) bench.lower();
    const clockMs = performance.now() - job.since;
    const spentMs = await bench.spentMs();
    const { ms } = this.#bounds[job.name];
    if (bench.job !== job) return;
    if (spentMs > ms || clockMs > patience * ms) this.#end(bench, 'late');
    else if (!job.isLong && spentMs > patience * turnMs) this.#overrun(bench, job);
  }

  #overrun(bench: Bench<Job>, job: Job): void {
    this.#noteLong(job);
    if (this.#longOf(job.party).length === 0 && this.#hasRoom(job)) {
      job.isLong = true;
      this.#assign();
    } else if (this.#next(false) !== null) this.#end(bench, 'long');
  }

  #noteLong({ name, party }: Job): void {
    this.#long.add(party, longMs);
    this.#long.add(`${name} ${party}`, longMs);
  }

  #end(bench: Bench<Job>, end: Job['end'] = null): void {
    this.#benches.delete(bench);
    if (bench.job !== null) bench.job.end = end;
    void bench.stop();
  }

  /** Rejects a job whose thread threw an error, unless the job starts again: in its next turn, or as a long or large job. */
  #fail(job: Job, error: unknown): void {
    const loss = lossOf(error);
    const kind = job.end ?? loss?.kind;
    const isFirst = kind === 'interrupted' && !job.isTried;
    const isLong = kind === 'long' || (kind === 'interrupted' && job.isTried);
    if (isFirst) this.#tried.add(job.party, triedMs);
    if (isLong) this.#noteLong(job);
    const isGrown = kind === 'memory' && !job.isLarge;
    if (loss === null) job.reject(error);
    else if (kind === 'dropped' || job.options.signal?.aborted) job.reject(clientGone());
    else if (isFirst || isLong || isGrown) {
      Object.assign(job, { isTried: true, isLong: !isFirst, isLarge: job.isLarge || isGrown });
      Object.assign(job, { since: null, end: null });
      this.#waiting.add(job);
    } else if (kind === 'stopped') job.reject(stopping(loss.cause));
    else this.#lose(job, kind, loss.cause);
  }

  /** Refuses a job that was too late or too large, and the job's repetitions for some time. */
  #lose(job: Job, kind: string | undefined, cause: unknown): void {
    const { late, lost } = this.#bounds[job.name];
    if (kind === 'late') this.#limitReached(late);
    if (kind === 'memory') this.#limitReached('workshop.heapBytes');
    if (job.options.instead !== undefined) {
      job.resolve(job.options.instead());
      return;
    }
    if (job.bytes <= largeBytes) {
      this.#lost.add(job.party, refusedMs);
      this.#lost.add(identityOf(job), refusedMs);
    }
    job.reject(new Overloaded(lost, { cause }));
  }
}

function heapOf(benches: Iterable<Bench<Job>>): number {
  let sum = 0;
  for (const { heapBytes } of benches) sum += heapBytes;
  return sum;
}
