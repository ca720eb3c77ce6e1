import { relative, resolve } from 'node:path';
import type { TestEvent } from 'node:test/reporters';
import { inspect } from 'node:util';

/** Events that contain a test's name. */
const named = new Set(['test:start', 'test:pass', 'test:fail']);

/** Maximum characters of stderr in the report on a file that ends early. */
const shownOfStderr = 2000;

/** Starts a run of test files. */
export type Runner = (files: string[]) => AsyncIterable<TestEvent>;

/** Completed run of test files: its events without closing lines, and the content of these lines. */
export type Attempt = { events: TestEvent[]; sums: Map<string, number>; ok: boolean };

/** Runs test files to their end. Adds `label` to test names. */
export async function attempt(files: string[], run: Runner, label = ''): Promise<Attempt> {
  const made: Attempt = { events: [], sums: new Map(), ok: true };
  // Files without a summary so far, each with the end of its stderr.
  const unfinished = new Map(files.map((file) => [resolve(file), '']));
  let succeeded = false;
  for await (const event of run(files)) {
    const { type, data } = event;
    if (type === 'test:fail') made.ok = false;
    if (type === 'test:stderr') {
      const file = resolve(data.file);
      const before = unfinished.get(file);
      if (before !== undefined) unfinished.set(file, (before + data.message).slice(-shownOfStderr));
    }
    if (type === 'test:summary') {
      // A summary ends each file, and a summary without a file name ends the run.
      if (data.file === undefined) succeeded = data.success;
      else unfinished.delete(data.file);
    } else if (type === 'test:diagnostic' && data.file === undefined) {
      const [name = '', value = ''] = data.message.split(' ');
      count(made.sums, name, Number(value));
    } else {
      if (named.has(type) && data !== undefined && 'name' in data && data.nesting === 0) data.name += label;
      made.events.push(event);
    }
  }
  if (!succeeded) made.ok = false;
  // node:test passes a file that calls process.exit(0) before its tests ran, and a file without tests.
  for (const [file, stderr] of unfinished) endedEarly(made, relative('', file) + label, stderr);
  return made;
}

/** Merges several node:test runs into one: events in sequence, closing lines summed. */
export class TestReport {
  readonly #begun = performance.now();
  readonly #sums = new Map<string, number>();
  #ok = true;

  /** Becomes false when a test fails, or when a file or a run ends early. */
  get ok(): boolean {
    return this.#ok;
  }

  /** Reports a run. */
  *add({ events, sums, ok }: Attempt): Generator<TestEvent> {
    if (!ok) this.#ok = false;
    for (const [name, value] of sums) count(this.#sums, name, value);
    yield* events;
  }

  /** Reports what failed in a first run, with its stderr, without counting it. */
  *failedFirst({ events }: Attempt): Generator<TestEvent> {
    for (const event of events) {
      if (event.type === 'test:fail') yield diagnostic(`failed in the first run: ${wordsOf(event.data)}`);
      if (event.type === 'test:stderr') yield event;
    }
  }

  /** Reports a second run. */
  *addSecond(second: Attempt): Generator<TestEvent> {
    yield* this.add(second);
    if (second.ok) count(this.#sums, 'passed_again', 1);
  }

  /** Reports a test as skipped. */
  *skip(name: string, reason: string): Generator<TestEvent> {
    for (const sum of ['tests', 'skipped']) count(this.#sums, sum, 1);
    const data = topLevel(name);
    yield { type: 'test:start', data };
    yield { type: 'test:pass', data: { ...data, skip: reason, details: { duration_ms: 0 } } };
  }

  /** Reports the summed closing lines of all runs. */
  *close(): Generator<TestEvent> {
    this.#sums.set('duration_ms', performance.now() - this.#begun);
    for (const [name, value] of this.#sums) yield diagnostic(`${name} ${value}`);
  }
}

/** Reports a file that ran no test, or whose process ended before its tests did. */
function endedEarly(made: Attempt, file: string, stderr: string): void {
  made.ok = false;
  for (const sum of ['tests', 'fail']) count(made.sums, sum, 1);
  const data = topLevel(`${file}: runs to its end`);
  const reason = 'the file ran no test, or its process ended before its tests did';
  const cause = new Error(stderr === '' ? reason : `${reason}; it wrote last: ${stderr.trim()}`);
  const error = Object.assign(new Error(cause.message), { cause });
  made.events.push(
    { type: 'test:start', data },
    { type: 'test:fail', data: { ...data, details: { duration_ms: 0, error } } },
  );
}

const count = (sums: Map<string, number>, name: string, value: number) =>
  void sums.set(name, (sums.get(name) ?? 0) + value);

const diagnostic = (message: string): TestEvent => ({
  type: 'test:diagnostic',
  data: { nesting: 0, message, level: 'info' },
});

const wordsOf = ({ name, details }: Extract<TestEvent, { type: 'test:fail' }>['data']) =>
  `${name}: ${inspect(details.error.cause ?? details.error)}`;

/** Event data for a test without a parent. */
const topLevel = (name: string) => ({ name, nesting: 0, testNumber: 1, testId: 0, parentId: 0, tags: [] });
