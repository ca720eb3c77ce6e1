import { hash } from 'node:crypto';
import { serialize } from 'node:v8';
import { Overloaded } from '#core/errors.ts';
import type { JobName, ResultOf } from './serve-workshop.ts';

export type JobOptions<Name extends JobName> = {
  /** Drops the job if the signal aborts, unless the job is running in the shared thread. */
  signal?: AbortSignal;
  /** Creates a result for a lost job, instead of an error. */
  instead?(): ResultOf<Name>;
};

/**
 * Waiting or running job. `isTried`: the job took longer than the first turn. `isLong`: the job took longer than a turn or is large, or
 * its party recently had a job that took longer. `since`: start time.
 */
export type Job = {
  name: JobName;
  party: string;
  args: unknown[];
  /** Total length of the job's text and byte arguments. */
  bytes: number;
  isLarge: boolean;
  isTried: boolean;
  isLong: boolean;
  since: number | null;
  end: 'late' | 'long' | 'dropped' | null;
  options: JobOptions<JobName>;
  resolve(result: unknown): void;
  reject(error: unknown): void;
};

/** Returns a key that a party's job shares with its repetitions. */
export function identityOf({ name, party, args }: Job): string {
  return `${name} ${party} ${hash('sha1', serialize(args))}`;
}

/** Returns the total length of a job's text and byte arguments, because all other arguments are short. */
export function lengthOf(args: unknown[]): number {
  const lengths = args.map((arg) => (typeof arg === 'string' || arg instanceof Uint8Array ? arg.length : 0));
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** Creates the error for a job whose client has gone. */
export function clientGone(): Overloaded {
  return new Overloaded('The request was canceled');
}

/** Creates the error for a job when the process ends. */
export function stopping(cause?: unknown): Overloaded {
  return new Overloaded('The server is shutting down: try again', { cause });
}
