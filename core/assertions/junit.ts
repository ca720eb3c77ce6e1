import type { ClauseResult } from './clause.ts';

/** Assertion in a report. `error`: why the assertion could not be evaluated, instead of its clauses. `near`: one line per near miss. */
export type ReportedAssertion = { name: string; seconds: number; near?: string[] } & (
  | { clauses: ClauseResult[] }
  | { error: string }
);

/** Formats a report as JUnit XML, which CI servers read: each assertion is a test suite, and each of its clauses a test case. */
export function junitReport(assertions: ReportedAssertion[]): string {
  const suites = assertions.map(suiteOf);
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites>\n${suites.join('')}</testsuites>\n`;
}

function suiteOf(assertion: ReportedAssertion): string {
  const { name } = assertion;
  const time = assertion.seconds.toFixed(3);
  if ('error' in assertion) {
    const attributes = { name, tests: 1, failures: 0, errors: 1, skipped: 0, time };
    const fault = `<error${written({ message: assertion.error, type: 'error' })}/>`;
    const testcase = element(
      'testcase',
      { name: 'evaluate', classname: name, time },
      `      ${fault}\n`,
      '    ',
    );
    return element('testsuite', attributes, testcase, '  ');
  }
  const { clauses, near = [] } = assertion;
  const failures = clauses.filter(({ passed }) => !passed).length;
  const attributes = { name, tests: clauses.length, failures, errors: 0, skipped: 0, time };
  const cases = clauses.map((clause, at) => caseOf(clause, name, at === 0 ? time : '0.000'));
  const output = near.length === 0 ? '' : `    <system-out>${escaped(near.join('\n'))}</system-out>\n`;
  return element('testsuite', attributes, `${cases.join('')}${output}`, '  ');
}

/** Formats a clause as a test case. The first clause carries the assertion's duration. */
function caseOf({ name, passed, expected, actual }: ClauseResult, classname: string, time: string): string {
  const attributes = { name, classname, time };
  if (passed) return `    <testcase${written(attributes)}/>\n`;
  const message = `expected: ${expected}; actual: ${actual ?? 'nothing'}`;
  const details = escaped(`${name}\nexpected: ${expected}\nactual:   ${actual ?? 'nothing'}`);
  const failure = `      <failure${written({ message, type: 'failure' })}>${details}</failure>\n`;
  return element('testcase', attributes, failure, '    ');
}

function element(
  tag: string,
  attributes: Record<string, string | number>,
  content: string,
  indent: string,
): string {
  return `${indent}<${tag}${written(attributes)}>\n${content}${indent}</${tag}>\n`;
}

function written(attributes: Record<string, string | number>): string {
  // An XML parser would read line ends and tabs in an attribute as spaces (XML 1.0 section 3.3.3).
  const value = (given: string | number) =>
    escaped(String(given)).replace(/[\t\n\r]/g, (character) => `&#${character.charCodeAt(0)};`);
  return Object.entries(attributes)
    .map(([name, given]) => ` ${name}="${value(given)}"`)
    .join('');
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Escapes text for XML 1.0, which allows no control characters other than tab and line ends, not even as references. */
function escaped(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\t\n\r\u0020-\u007e\u0085\u00a0-\ufffd\u{10000}-\u{10ffff}]/gu, '\ufffd')
    .replace(/[&<>"]/g, (character) => entities[character] ?? '');
}
