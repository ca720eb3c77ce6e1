import { createContext, Script } from 'node:vm';
import { processorMs } from '#adapters/threads/processor-time.ts';
import { PatternFault } from '#core/assertions/evaluate.ts';

/** Attempts with a pattern while other work of the machine takes its time. */
const mostAttempts = 5;

/** Bounds on the time of one expression and on the processor time of all, ms. */
export type PatternBounds = { patternMs: number; patternsMs: number };

/**
 * Makes a program that works with the expression of a user, as `expression`, on an input, as `input`. Returns its beginning, and
 * that a function which runs it: it stops each expression after `patternMs`, takes none after `patternsMs` for all since the
 * beginning, and throws PatternFault then. Node can interrupt a script after a time, also within a regular expression
 * (nodejs.org/api/vm.html, `timeout`). It is no sandbox: the pattern is data here.
 */
export function patternProgram<Input, Result>(source: string, { patternMs, patternsMs }: PatternBounds) {
  const script = new Script(source);
  const scope = createContext({ input: null, expression: /^/ });
  return () => {
    const end = processorMs() + patternsMs;
    return (pattern: string, flags: string, input: Input): Result => {
      for (let attempt = 1; ; attempt += 1) {
        const begun = processorMs();
        if (begun > end)
          throw new PatternFault(`was not evaluated: those before it took over ${patternsMs} ms`);
        try {
          Object.assign(scope, { input, expression: new RegExp(pattern, flags) });
          return script.runInContext(scope, { timeout: patternMs });
        } catch (error) {
          // Errors of the script are of the classes of its own context.
          const { code, message } = error as { code?: string; message: string };
          if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new PatternFault(`failed: ${message}`);
          if (processorMs() - begun >= patternMs / 2 || attempt === mostAttempts)
            throw new PatternFault(`took over ${patternMs} ms and was stopped`);
        }
      }
    };
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
    return `must be a regular expression of JavaScript with the flag u: ${reason}`;
  }
}
