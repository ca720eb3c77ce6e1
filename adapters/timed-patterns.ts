import { processorMs } from '#adapters/threads/processor-time.ts';
import { Interrupted, OuterInterrupted, within } from '#adapters/threads/within.ts';
import { PatternFault } from '#core/assertions/evaluate.ts';

/** Bounds on the time of one expression and on the processor time of all, ms. */
export type PatternBounds = { patternMs: number; patternsMs: number };

/**
 * Begins a work with expressions of a user. Returns the function that does the part of one: it stops the part after `patternMs`, takes
 * none after `patternsMs` for all since the beginning, and throws PatternFault then.
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
      return within(patternMs, part);
    } catch (error) {
      if (error instanceof OuterInterrupted) throw error;
      if (error instanceof Interrupted) throw new PatternFault(error.message);
      throw new PatternFault(`failed: ${error instanceof Error ? error.message : error}`);
    }
  };
}

/**
 * Returns why a text is no regular expression, null for one. One of 1,000 characters may take 10 ms, since V8 expands classes such
 * as `\p{L}`.
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
