import { patternFault, timedPatterns } from '#adapters/timed-patterns.ts';
import { type Clause, type ClauseResult, patternOf } from '#core/assertions/clause.ts';
import { type AssertedMail, evaluate } from '#core/assertions/evaluate.ts';
import { invalid } from '#core/errors.ts';
import { limits } from '#core/limits.ts';

/** Parses the clauses' regular expressions. Throws Invalid for the first invalid one. */
export function checkPatterns(clauses: Clause[]): void {
  for (const [at, clause] of clauses.entries()) {
    const pattern = patternOf(clause);
    const fault = pattern === null ? null : patternFault(pattern);
    if (fault !== null) throw invalid(`expect.${at}.${clause.on}.matches`, fault);
  }
}

export function judgeClauses(mail: AssertedMail, clauses: Clause[]): ClauseResult[] {
  const timed = timedPatterns(limits.assertions);
  return evaluate(clauses, mail, (pattern, texts) =>
    timed(() => {
      const expression = new RegExp(pattern, 'u');
      return texts.some((text) => expression.test(text));
    }),
  );
}
