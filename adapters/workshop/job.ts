import { hash } from 'node:crypto';
import { serialize } from 'node:v8';
import { Overloaded } from '#core/errors.ts';
import type { JobName, ResultOf } from './serve-workshop.ts';

export type JobOptions<Name extends JobName> = {
  /** Drops the job if it aborts, unless it is in the thread that all share. */
  signal?: AbortSignal;
  /** Makes the result of a job that was lost, in place of an error. */
  instead?(): ResultOf<Name>;
};

/**
 * Job that waits or runs. `isTried`: it took longer than the first turn. `isLong`: it took longer than a turn, its party had such a job lately, or it is large. `since`: time at
 * which it began.
 */
export type Job = {
  name: JobName;
  party: string;
  args: unknown[];
  /** Length of its arguments that are texts or bytes. */
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

/** Returns a key of a job of a party that its repetition has too. */
export function identityOf({ name, party, args }: Job): string {
  return `${name} ${party} ${hash('sha1', serialize(args))}`;
}

/** Returns the length of those arguments of a job that are texts or bytes: all others are short. */
export function lengthOf(args: unknown[]): number {
  const lengths = args.map((arg) => (typeof arg === 'string' || arg instanceof Uint8Array ? arg.length : 0));
  return lengths.reduce((sum, length) => sum + length, 0);
}

/** Makes the error of a job whose client has gone. */
export function brokenOff(): Overloaded {
  return new Overloaded('The request was canceled');
}

/** Makes the error of a job at the end of the process. */
export function stopping(cause?: unknown): Overloaded {
  return new Overloaded('The server is shutting down: try again', { cause });
}
