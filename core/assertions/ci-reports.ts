import { createHash } from 'node:crypto';
import type { ClauseResult } from './clause.ts';
import type { ReportedAssertion } from './junit.ts';

const mostCharacters = 300;
/** Maximum rows of a summary, because GitHub accepts 1 MiB per step, and maximum annotations: GitHub shows ten errors per step. */
const mostRows = 100;
const mostAnnotations = 10;

/**
 * Formats text as one log line. An email may contain any characters, and a terminal interprets some of them. GitHub's and Azure's logs
 * also execute commands such as `##[error]` and `##vso[task.complete]` anywhere in a line.
 */
export function logLine(text: string): string {
  const line = text
    .toWellFormed()
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .replace(/#(?=#)/g, '# ')
    .trim();
  return line.length <= mostCharacters ? line : `${line.slice(0, mostCharacters).toWellFormed()}…`;
}

/** Near miss of an assertion that found no message: an email, or a refusal with the server's reply. */
type NearMiss = { id?: number | null; to: string; subject?: string; failed?: string[]; reply?: string };

export function describeNearMiss({ id, to, subject = '', failed = [], reply }: NearMiss): string {
  return reply === undefined
    ? `near miss: message ${id} to ${logLine(to)}, "${logLine(subject)}", does not match ${failed.join(', ')}`
    : `near miss: refused${to === '' ? '' : ` for ${logLine(to)}`}: ${logLine(reply)}`;
}

/** Entry of a report: an assertion that has a failed clause, or that could not be evaluated, with the reason. */
type Failure = { assertion: string; clause: string; expected: string; actual: string };

function failuresOf(assertion: ReportedAssertion): Failure[] {
  const name = logLine(assertion.name);
  if ('error' in assertion)
    return [{ assertion: name, clause: 'evaluate', expected: '', actual: logLine(assertion.error) }];
  return assertion.clauses.filter(({ passed }) => !passed).map((clause) => failureOf(name, clause));
}

function failureOf(assertion: string, { name, expected, actual }: ClauseResult): Failure {
  const shown = actual === null ? 'nothing' : logLine(actual);
  return { assertion, clause: logLine(name), expected: logLine(expected), actual: shown };
}

const sentenceOf = ({ clause, expected, actual }: Failure) =>
  expected === '' ? `${clause}: ${actual}` : `${clause}: expected ${expected}, actual ${actual}`;

/**
 * Formats the workflow commands that annotate a file: an error for each failed assertion, up to ten.
 * https://docs.github.com/actions/reference/workflows-and-actions/workflow-commands
 */
export function githubAnnotations(file: string, assertions: ReportedAssertion[]): string {
  const failed = assertions.filter((assertion) => failuresOf(assertion).length > 0);
  return failed
    .slice(0, mostAnnotations)
    .map((assertion) => {
      const lines = [...failuresOf(assertion).map(sentenceOf), ...(assertion.near ?? [])];
      const place = `file=${property(file)},title=${property(logLine(assertion.name))}`;
      return `::error ${place}::${data(lines.join('\n'))}\n`;
    })
    .join('');
}

/** Escapes a command's message and a property's value as `@actions/core` does. */
const data = (text: string) => text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');

/** Formats a summary for GITHUB_STEP_SUMMARY: a line and an HTML table, in which nothing is interpreted as Markdown. */
export function githubSummary(file: string, assertions: ReportedAssertion[]): string {
  const failures = assertions.flatMap(failuresOf);
  const failed = assertions.filter((assertion) => failuresOf(assertion).length > 0).length;
  const title = `<p>sandpost assert ${code(logLine(file))}: ${assertions.length - failed} passed, ${failed} failed</p>`;
  if (failures.length === 0) return `${title}\n\n`;
  const cells = (values: string[]) => `<tr>${values.map((one) => `<td>${code(one)}</td>`).join('')}</tr>`;
  const rows = failures
    .slice(0, mostRows)
    .map(({ assertion, clause, expected, actual }) => cells([assertion, clause, expected, actual]));
  const head = '<tr><th>assertion</th><th>clause</th><th>expected</th><th>actual</th></tr>';
  const more = failures.length > mostRows ? `<p>${failures.length - mostRows} more</p>\n` : '';
  const near = assertions.flatMap((assertion) => assertion.near ?? []).slice(0, mostRows);
  const misses = near.map((line) => `<li>${code(line)}</li>\n`).join('');
  return `${title}\n<table>\n${head}\n${rows.join('\n')}\n</table>\n${more}${misses === '' ? '' : `<ul>\n${misses}</ul>\n`}\n`;
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const code = (text: string) =>
  text === '' ? '' : `<code>${text.replace(/[&<>"]/g, (character) => entities[character] ?? '')}</code>`;

/**
 * Formats the code quality report that GitLab shows in a merge request. An assertion's fingerprint is the same in each run, so GitLab can
 * distinguish new failures from those in the target branch: https://docs.gitlab.com/ci/testing/code_quality/
 */
export function gitlabReport(file: string, assertions: ReportedAssertion[]): string {
  const times = new Map<string, number>();
  const issues = assertions.flatMap(failuresOf).map((failure) => {
    // Other failures come and go, so a position in the list does not identify a failure.
    const what = JSON.stringify([file, failure.assertion, failure.clause]);
    const before = times.get(what) ?? 0;
    times.set(what, before + 1);
    return {
      description: `${failure.assertion}: ${sentenceOf(failure)}`,
      check_name: 'sandpost assert',
      fingerprint: createHash('sha256').update(`${what}${before}`).digest('hex'),
      severity: 'major',
      location: { path: file, lines: { begin: 1 } },
    };
  });
  return `${JSON.stringify(issues, null, 1)}\n`;
}
