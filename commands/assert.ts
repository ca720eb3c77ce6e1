import { appendFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  describeNearMiss,
  githubAnnotations,
  githubSummary,
  gitlabReport,
  logLine,
} from '#core/assertions/ci-reports.ts';
import type { ClauseResult } from '#core/assertions/clause.ts';
import { junitReport, type ReportedAssertion } from '#core/assertions/junit.ts';
import { parseOptions } from '#setup/parse-options.ts';
import { sentenceOf } from '#telemetry/redact.ts';

const exit = { passed: 0, failed: 1, broken: 2 };
const usage = 'sandpost assert FILE [--junit REPORT] [--github] [--gitlab REPORT] [--set NAME=VALUE …]';

/** Time in ms, in addition to the request's own wait, for repeating a request that the server refuses because too many are running. */
const patienceMs = 120_000;
const pauseMs = 1000;

/** Response from `POST /api/assert`, or a problem. */
type Answer = {
  passed?: boolean;
  clauses?: ClauseResult[];
  near_misses?: { id: number; to: string; subject: string; failed: string[]; reply?: string }[];
  detail?: string;
};

type Outcome = ReportedAssertion & { near: string[] };

/**
 * Evaluates the assertions in a JSON file, one or a list, with the API at SANDPOST_URL and the key SANDPOST_API_KEY. `${NAME}` in the
 * file's strings stands for a value from `--set`. Prints the failures, and writes the requested reports. Returns the exit code: 0 if all
 * assertions pass, 1 if one fails, and 2 if one could not be evaluated.
 */
export async function assertFile(args: string[], env: NodeJS.ProcessEnv): Promise<number> {
  try {
    const { file, report, github, gitlab, set, isHelp } = readOptions(args);
    if (isHelp) {
      process.stdout.write(`usage: ${usage}\n`);
      return exit.passed;
    }
    const outcomes: Outcome[] = [];
    for (const [at, assertion] of (await readAssertions(file, set)).entries()) {
      const outcome = await evaluate(assertion, `${file} ${at + 1}`, env);
      outcomes.push(outcome);
      process.stdout.write(wordsOf(outcome));
    }
    const place = placeOf(file, env);
    if (github) process.stdout.write(githubAnnotations(place, outcomes));
    const summary = github && env.GITHUB_STEP_SUMMARY;
    // Writes every report that can be written, even if others fail.
    const written = await Promise.allSettled([
      report !== undefined && writeFile(report, junitReport(outcomes)),
      gitlab !== undefined && writeFile(gitlab, gitlabReport(place, outcomes)),
      summary && appendFile(summary, githubSummary(file, outcomes)),
    ]);
    const lost = written.flatMap((one) => (one.status === 'rejected' ? [sentenceOf(one.reason)] : []));
    if (lost.length > 0) throw new Error(lost.join('; '));
    if (outcomes.some((outcome) => 'error' in outcome)) return exit.broken;
    return outcomes.every(hasPassed) ? exit.passed : exit.failed;
  } catch (error) {
    process.stderr.write(`sandpost assert: ${sentenceOf(error)}\n`);
    return exit.broken;
  }
}

/** Returns a file's path in the repository that a CI job has checked out. GitHub and GitLab show a location only if it has this path. */
function placeOf(file: string, env: NodeJS.ProcessEnv): string {
  const root = env.GITHUB_WORKSPACE || env.CI_PROJECT_DIR || process.cwd();
  const inside = path.relative(root, path.resolve(file));
  return inside.startsWith('..') || path.isAbsolute(inside) ? file : inside.split(path.sep).join('/');
}

/** Parses the arguments. Throws for an unknown option, or if not exactly one file is named. */
function readOptions(args: string[]) {
  const { values, positionals } = parseOptions({
    args,
    options: {
      junit: { type: 'string' },
      github: { type: 'boolean', default: false },
      gitlab: { type: 'string' },
      set: { type: 'string', multiple: true, default: [] },
      help: { type: 'boolean', default: false },
    },
    allowPositionals: true,
  });
  const [file = '', ...more] = positionals;
  if (!values.help && (file === '' || more.length > 0)) throw new Error(`name exactly one file: ${usage}`);
  const set = values.set.map((one) => {
    const [, name, value] = /^(\w+)=(.*)$/s.exec(one) ?? [];
    if (name === undefined || value === undefined) throw new Error(`--set needs NAME=VALUE, not ${one}`);
    return [name, value] as const;
  });
  const { junit: report, github, gitlab, help: isHelp } = values;
  return { file, report, github, gitlab, set: new Map(set), isHelp };
}

/**
 * Reads a file's assertions, with placeholders replaced by values. The server validates the assertions. Throws for a placeholder without
 * a value, or for a value whose name is not in the file.
 */
async function readAssertions(file: string, set: Map<string, string>): Promise<object[]> {
  const used = new Set<string>();
  const filled = (text: string) =>
    text.replace(/\$\{(\w+)\}/g, (place, name: string) => {
      used.add(name);
      return set.get(name) ?? place;
    });
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new Error(`cannot read ${path.resolve(file)}: ${sentenceOf(error)}`);
  });
  const given = parsed(text, file, (_, value) => (typeof value === 'string' ? filled(value) : value));
  const missing = [...used].filter((name) => !set.has(name)).map((name) => `--set ${name}=VALUE is missing`);
  const surplus = [...set.keys()]
    .filter((name) => !used.has(name))
    .map((name) => `the file has no placeholder \${${name}}`);
  if (missing.length + surplus.length > 0) throw new Error(`${file}: ${[...missing, ...surplus].join(', ')}`);
  const all: unknown[] = Array.isArray(given) ? given : [given];
  if (all.length === 0) throw new Error(`${file} contains no assertion`);
  return all.map((one) => {
    if (typeof one === 'object' && one !== null && !Array.isArray(one)) return one;
    throw new Error(`${file} must contain a JSON object or a list of objects`);
  });
}

function parsed(text: string, file: string, revive: (key: string, value: unknown) => unknown): unknown {
  try {
    return JSON.parse(text, revive);
  } catch (error) {
    throw new Error(`${file} is not JSON: ${sentenceOf(error)}`);
  }
}

type Reply = { response: Response; answer: Answer | null };

/**
 * Sends an assertion until it gets a result. If the server refuses the assertion because it is busy (429, 503), repeats the request after
 * the server's delay, until the assertion's wait and an extra time are up. A repeated request waits for the remaining time.
 */
async function send(
  assertion: { find?: unknown },
  request: (body: object) => Promise<Response>,
): Promise<Reply> {
  const { find } = assertion;
  const waits = typeof find === 'object' && find !== null && 'wait' in find && typeof find.wait === 'number';
  const waitMs = waits ? Number(find.wait) * 1000 : 0;
  const begun = performance.now();
  for (let body: object = assertion; ; ) {
    const response = await request(body);
    const answer = (await response.json().catch(() => null)) as Answer | null;
    const isRefused = response.status === 429 || response.status === 503;
    const after = response.headers.get('retry-after') ?? '';
    // Repeating immediately, because a response asks for no pause, would cause a request storm.
    const pause = /^\d+$/.test(after) ? Math.max(100, Number(after) * 1000) : pauseMs;
    const passed = performance.now() - begun;
    if (!isRefused || passed + pause > waitMs + patienceMs) return { response, answer };
    await sleep(pause);
    const left = Math.max(0, Math.ceil((waitMs - passed - pause) / 1000));
    if (waits) body = { ...assertion, find: { ...find, wait: left } };
  }
}

async function evaluate(assertion: object, fallback: string, env: NodeJS.ProcessEnv): Promise<Outcome> {
  const name = 'name' in assertion && typeof assertion.name === 'string' ? assertion.name : fallback;
  const base = env.SANDPOST_URL || 'http://localhost:8080';
  const key = env.SANDPOST_API_KEY;
  const begun = performance.now();
  const since = () => (performance.now() - begun) / 1000;
  try {
    const { response, answer } = await send(assertion, (body) =>
      // Bounded: the address is a setting.
      fetch(`${base.replace(/\/+$/, '')}/api/assert`, {
        method: 'POST',
        // Keeps the key from being sent to another host.
        redirect: 'manual',
        headers: { 'content-type': 'application/json', ...(key && { 'x-api-key': key }) },
        body: JSON.stringify(body),
      }),
    );
    const clauses = clausesOf(response.status, answer);
    const near = (answer?.near_misses ?? []).map(describeNearMiss);
    if (clauses !== null) return { name, seconds: since(), clauses, near };
    const target = response.headers.get('location');
    const fault =
      target === null
        ? 'not a response from Sandpost'
        : `a redirect to ${target}, which sandpost assert does not follow`;
    return {
      name,
      seconds: since(),
      error: `${base} answered ${response.status}: ${answer?.detail ?? fault}${timeOf(response.status, since())}`,
      near: [],
    };
  } catch (error) {
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    const fault = /^https?:/i.test(base)
      ? sentenceOf(cause)
      : 'SANDPOST_URL must begin with http:// or https://';
    return { name, seconds: since(), error: `${base}: ${fault}`, near: [] };
  }
}

/** Says how long the server refused a repeated request. */
function timeOf(status: number, seconds: number): string {
  return status === 429 || status === 503 ? `, for ${Math.round(seconds)} s` : '';
}

/** Returns the clauses of a response whose status and fields agree. Returns null for any other response. */
function clausesOf(status: number, answer: Answer | null): ClauseResult[] | null {
  if (status !== 200 && status !== 417) return null;
  if (answer?.passed !== (status === 200) || !Array.isArray(answer.clauses)) return null;
  return answer.clauses.every(({ passed }) => passed) === answer.passed ? answer.clauses : null;
}

function hasPassed(outcome: Outcome): boolean {
  return 'clauses' in outcome && outcome.clauses.every(({ passed }) => passed);
}

function wordsOf(outcome: Outcome): string {
  const name = logLine(outcome.name);
  if ('error' in outcome) return `error  ${name}\n         ${logLine(outcome.error)}\n`;
  if (hasPassed(outcome)) return `ok     ${name}\n`;
  const failed = outcome.clauses.filter(({ passed }) => !passed);
  const lines = failed.flatMap(({ name: clause, expected, actual }) => [
    logLine(clause),
    `  expected: ${logLine(expected)}`,
    `  actual:   ${actual === null ? 'nothing' : logLine(actual)}`,
  ]);
  return [`failed ${name}`, ...[...lines, ...outcome.near].map((line) => `         ${line}`), ''].join('\n');
}
