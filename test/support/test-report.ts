import type { TestEvent } from 'node:test/reporters';

/** What tells of a test, in the reporter's order. */
const named = new Set(['test:start', 'test:pass', 'test:fail']);

/** Starts a run of test files; `atOnce`: how many side by side, as many as there are cores where absent. */
export type Runner = (files: string[], atOnce?: number) => AsyncIterable<TestEvent>;

/** More files than these do not fail by chance. */
const mostByChance = 3;

/** Several runs of node:test as one: their events one after the other, and the sums of their closing lines. */
export class TestReport {
  readonly #begun = performance.now();
  readonly #sums = new Sums();

  get ok(): boolean {
    return this.#sums.bad === 0;
  }

  /**
   * The events of a run but for its closing lines. `label` is added to the names of tests. Files in which something
   * failed are run once more, alone: what holds then is told as flaky, not as failed.
   */
  async *add(files: string[], run: Runner, label = ''): AsyncGenerator<TestEvent> {
    const sums = new Sums();
    yield* eventsOf(run(files), sums, label);
    const failed = [...sums.failedFiles];
    if (failed.length > 0 && failed.length <= mostByChance) {
      const second = new Sums();
      yield* eventsOf(run(failed, 1), second, `${label} [again, alone]`);
      const mended = sums.bad - second.bad;
      for (const name of ['fail', 'cancelled']) sums.set(name, second.get(name));
      for (const name of ['pass', 'flaky']) sums.set(name, sums.get(name) + mended);
    }
    for (const [name, value] of sums) this.#sums.set(name, this.#sums.get(name) + value);
  }

  /** One test that is skipped. */
  *skip(name: string, reason: string): Generator<TestEvent> {
    for (const sum of ['tests', 'skipped']) this.#sums.set(sum, this.#sums.get(sum) + 1);
    const data = { name, nesting: 0, testNumber: 1, testId: 0, parentId: 0, tags: [] };
    yield { type: 'test:start', data };
    yield { type: 'test:pass', data: { ...data, skip: reason, details: { duration_ms: 0 } } };
  }

  /** The closing lines of all runs. */
  *close(): Generator<TestEvent> {
    this.#sums.set('duration_ms', performance.now() - this.#begun);
    for (const [name, value] of this.#sums) {
      yield { type: 'test:diagnostic', data: { nesting: 0, message: `${name} ${value}`, level: 'info' } };
    }
  }
}

/** The closing lines of a run by their names, and the files in which something failed. */
class Sums extends Map<string, number> {
  readonly failedFiles = new Set<string>();

  override get(name: string): number {
    return super.get(name) ?? 0;
  }

  get bad(): number {
    return this.get('fail') + this.get('cancelled');
  }
}

async function* eventsOf(
  run: AsyncIterable<TestEvent>,
  sums: Sums,
  label: string,
): AsyncGenerator<TestEvent> {
  for await (const event of run) {
    const { type, data } = event;
    if (type === 'test:diagnostic' && data.file === undefined) {
      const [name = '', value = ''] = data.message.split(' ');
      sums.set(name, Number(value));
    } else if (type !== 'test:summary') {
      if (type === 'test:fail' && data.nesting === 0 && data.file !== undefined)
        sums.failedFiles.add(data.file);
      if (named.has(type) && data !== undefined && 'name' in data && data.nesting === 0) data.name += label;
      yield event;
    }
  }
}
