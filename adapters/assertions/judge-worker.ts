import { createContext, Script } from 'node:vm';
import { serve } from '#adapters/threads/serve.ts';
import { type Clause, type ClauseResult, patternOf } from '#core/assertions/clause.ts';
import { type AssertedMail, evaluate, PatternFault } from '#core/assertions/evaluate.ts';
import { invalid } from '#core/errors.ts';
import { limits } from '#gate/limits.ts';

/**
 * Program that searches the texts. Node can interrupt a script after a time, also within a regular expression
 * (nodejs.org/api/vm.html, `timeout`). It is no sandbox: the pattern is data here.
 */
const search = new Script('texts.some((text) => expression.test(text))');
const scope = createContext({ texts: [], expression: /^/ });
const { patternMs, patternsMs } = limits.assertions;

/** Attempts with a pattern while other work of the machine takes its time. */
const mostAttempts = 5;

/** Processor time of this thread, ms. Other work of the machine does not count. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** Returns a search that stops each pattern after `patternMs`, and takes none after `patternsMs` for all of them. */
function patternSearch(): (pattern: string, texts: string[]) => boolean {
  const end = processorMs() + patternsMs;
  return (pattern, texts) => {
    for (let attempt = 1; ; attempt += 1) {
      const begun = processorMs();
      if (begun > end)
        throw new PatternFault(`was not evaluated: those before it took over ${patternsMs} ms`);
      try {
        Object.assign(scope, { texts, expression: new RegExp(pattern, 'u') });
        return search.runInContext(scope, { timeout: patternMs }) === true;
      } catch (error) {
        // Errors of the script are of the classes of its own context.
        const { code, message } = error as { code?: string; message: string };
        if (code !== 'ERR_SCRIPT_EXECUTION_TIMEOUT') throw new PatternFault(`failed: ${message}`);
        if (processorMs() - begun >= patternMs / 2 || attempt === mostAttempts)
          throw new PatternFault(`took over ${patternMs} ms and was stopped`);
      }
    }
  };
}

/** Parses regular expressions. One of 1,000 characters may take 10 ms, since V8 expands classes such as `\p{L}`. */
function checkPatterns(clauses: Clause[]): void {
  for (const [at, clause] of clauses.entries()) {
    const pattern = patternOf(clause);
    if (pattern === null) continue;
    try {
      new RegExp(pattern, 'u');
    } catch (error) {
      const reason = error instanceof Error ? error.message.replace(/^.*\/u?: /s, '') : '';
      const fault = `must be a regular expression of JavaScript with the flag u: ${reason}`;
      throw invalid(`expect.${at}.${clause.on}.matches`, fault);
    }
  }
}

/** Entry of a thread that evaluates clauses. */
serve({
  check: checkPatterns,
  judge: (mail: AssertedMail, clauses: Clause[]): ClauseResult[] => evaluate(clauses, mail, patternSearch()),
});
