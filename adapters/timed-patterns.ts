import { processorMs } from '#adapters/threads/processor-time.ts';
import { Interrupted, OuterInterrupted, withTimeLimit } from '#adapters/threads/time-limit.ts';
import { PatternFault } from '#core/assertions/evaluate.ts';

/** Limits on the processor time of one expression and of all expressions together, in ms. */
export type PatternBounds = { patternMs: number; patternsMs: number };

/**
 * Starts work with a user's expressions. Returns a function that runs work with one expression. The function stops the work after
 * `patternMs`, and refuses it after a total of `patternsMs` since the start. In both cases it throws PatternFault.
 */
export function timedPatterns({
  patternMs,
  patternsMs,
}: PatternBounds): <Result>(part: () => Result) => Result {
  const end = processorMs() + patternsMs;
  return (part) => {
    if (processorMs() > end)
      throw new PatternFault(
        `was not evaluated, because earlier expressions took more than ${patternsMs} ms`,
      );
    try {
      return withTimeLimit(patternMs, part);
    } catch (error) {
      if (error instanceof OuterInterrupted) throw error;
      if (error instanceof Interrupted) throw new PatternFault(error.message);
      throw new PatternFault(`failed: ${error instanceof Error ? error.message : error}`);
    }
  };
}

/**
 * Returns the reason why a string is not a regular expression, or null if it is one. Parsing 1,000 characters may take 10 ms, because V8
 * expands classes such as `\p{L}`.
 */
export function patternFault(pattern: string): string | null {
  try {
    new RegExp(pattern, 'u');
    return null;
  } catch (error) {
    const reason = error instanceof Error ? error.message.replace(/^.*\/u?: /s, '') : '';
    return `must be a JavaScript regular expression with the u flag: ${reason}`;
  }
}
