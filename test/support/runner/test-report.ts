import { relative, resolve } from 'node:path';
import type { TestEvent } from 'node:test/reporters';

/** Events that carry the name of a test. */
const named = new Set(['test:start', 'test:pass', 'test:fail']);

/** Length of the part of stderr in the report of a file that ends early, characters. */
const shownOfStderr = 2000;

/** Starts a run of test files. */
export type Runner = (files: string[]) => AsyncIterable<TestEvent>;

/** Merges several runs of node:test into one: events in sequence, closing lines summed. */
export class TestReport {
  readonly #begun = performance.now();
  readonly #sums = new Map<string, number>();
  #ok = true;

  /** Turns false when a test fails, or when a file or a run ends early. */
  get ok(): boolean {
    return this.#ok;
  }

  /** Passes the events of a run on, without its closing lines. Adds `label` to the names of tests. */
  async *add(files: string[], run: Runner, label = ''): AsyncGenerator<TestEvent> {
    // Files without a summary so far, each with the end of its stderr.
    const unfinished = new Map(files.map((file) => [resolve(file), '']));
    let succeeded = false;
    for await (const event of run(files)) {
      const { type, data } = event;
      if (type === 'test:fail') this.#ok = false;
      if (type === 'test:stderr') {
        const file = resolve(data.file);
        const before = unfinished.get(file);
        if (before !== undefined) unfinished.set(file, (before + data.message).slice(-shownOfStderr));
      }
      if (type === 'test:summary') {
        // Summaries end each file, and one without a file name ends the run.
        if (data.file === undefined) succeeded = data.success;
        else unfinished.delete(data.file);
      } else if (type === 'test:diagnostic' && data.file === undefined) {
        const [name = '', value = ''] = data.message.split(' ');
        this.#count(name, Number(value));
      } else {
        if (named.has(type) && data !== undefined && 'name' in data && data.nesting === 0) data.name += label;
        yield event;
      }
    }
    if (!succeeded) this.#ok = false;
    // node:test passes a file that calls process.exit(0) before its tests ran, and one without tests.
    for (const [file, stderr] of unfinished) yield* this.#endedEarly(relative('', file) + label, stderr);
  }

  /** Reports one test as skipped. */
  *skip(name: string, reason: string): Generator<TestEvent> {
    for (const sum of ['tests', 'skipped']) this.#count(sum, 1);
    const data = topLevel(name);
    yield { type: 'test:start', data };
    yield { type: 'test:pass', data: { ...data, skip: reason, details: { duration_ms: 0 } } };
  }

  /** Reports the summed closing lines of all runs. */
  *close(): Generator<TestEvent> {
    this.#sums.set('duration_ms', performance.now() - this.#begun);
    for (const [name, value] of this.#sums) {
      yield { type: 'test:diagnostic', data: { nesting: 0, message: `${name} ${value}`, level: 'info' } };
    }
  }

  *#endedEarly(file: string, stderr: string): Generator<TestEvent> {
    this.#ok = false;
    for (const sum of ['tests', 'fail']) this.#count(sum, 1);
    const data = topLevel(`${file}: runs to its end`);
    const reason = 'the file ran no test, or its process ended before its tests did';
    const cause = new Error(stderr === '' ? reason : `${reason}; it wrote last: ${stderr.trim()}`);
    const error = Object.assign(new Error(cause.message), { cause });
    yield { type: 'test:start', data };
    yield { type: 'test:fail', data: { ...data, details: { duration_ms: 0, error } } };
  }

  #count(name: string, value: number): void {
    this.#sums.set(name, (this.#sums.get(name) ?? 0) + value);
  }
}

/** Data of an event of a test without a parent. */
const topLevel = (name: string) => ({ name, nesting: 0, testNumber: 1, testId: 0, parentId: 0, tags: [] });
