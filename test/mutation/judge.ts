import type { Change } from './instrument.ts';
import { type NamedTest, noChange } from './plan.ts';
import type { Runner } from './runner.ts';

/** Result of a change: a test failed, no test that reached it failed, or no test reached it. */
export type Verdict = { change: Change; fate: 'seen' | 'not seen' | 'not reached'; by: string };

type Measured = NamedTest & { ms: number; renew: boolean; reached: Map<number, number> };

const noLimit = 2 ** 31 - 1;
/** Number of changes tried in one process before its tests are checked without a change. */
const chunkSize = 40;
/** Bound in ms above which a test counts as slow. The `slowTests` nearest slow tests run: all would take too long. */
const slowMs = 30;
const slowTests = 16;
const measureMs = 120_000;

/** Judge of changes. Runs the tests nearest to a change until one fails. */
export class Judge {
  readonly #runner: Runner;
  readonly #isFresh: (change: Change) => boolean;
  readonly #bySource: Map<string, Change[]>;
  #tests: Measured[] = [];
  #reachedOnLoad = new Set<number>();
  #lastSeer: Measured | undefined;

  constructor(runner: Runner, changes: Change[], isFresh: (change: Change) => boolean) {
    this.#runner = runner;
    this.#isFresh = isFresh;
    this.#bySource = Map.groupBy(changes, ({ source }) => source);
  }

  /** Runs all tests without a change, and records their time and the changes that they reach. Returns those that pass. */
  async measure(): Promise<NamedTest[]> {
    const ready = await this.#runner.start();
    if (ready === null) throw new Error('the tests cannot be loaded');
    this.#reachedOnLoad = new Set(ready.reached.map(([change]) => change));
    for (const test of ready.tests) await this.#measureOne(test);
    return this.#tests;
  }

  /** Measures a test. One that fails the second time is tried between new hooks, and left out if it fails then too. */
  async #measureOne(test: NamedTest): Promise<void> {
    const ask = { ...test, change: noChange, limit: noLimit };
    const began = performance.now();
    const first = await this.#runner.run({ ...ask, renew: false }, measureMs);
    const ms = performance.now() - began;
    const second = await this.#runner.run({ ...ask, renew: false }, measureMs);
    const renewed = second.ok ? second : await this.#runner.run({ ...ask, renew: true }, measureMs);
    if (renewed.ok) this.#tests.push({ ...test, ms, reached: new Map(first.reached), renew: !second.ok });
    else process.stdout.write(`left out, for it fails without a change: ${test.name}: ${renewed.reason}\n`);
  }

  /** Judges changes. Judges a chunk again, in smaller parts, if it left a process in which tests fail without a change. */
  async *judge(changes: Change[], size = chunkSize): AsyncGenerator<Verdict> {
    for (let from = 0; from < changes.length; from += size) {
      const chunk = changes.slice(from, from + size);
      const seers = new Set<Measured>();
      const verdicts: Verdict[] = [];
      for (const change of chunk) verdicts.push(await this.#judgeOne(change, seers));
      if (chunk.length === 1 || (await this.#pass(seers))) {
        yield* verdicts;
      } else {
        await this.#runner.kill();
        yield* this.judge(chunk, Math.ceil(chunk.length / 4));
      }
    }
  }

  async #pass(tests: Iterable<Measured>): Promise<boolean> {
    for (const test of tests) if ((await this.#run(test, noChange)) !== null) return false;
    return true;
  }

  async #judgeOne(change: Change, seers: Set<Measured>): Promise<Verdict> {
    const onLoad = this.#reachedOnLoad.has(change.number);
    const tests = this.#nearest(change, onLoad);
    if (tests.length === 0) return { change, fate: 'not reached', by: '' };
    if (onLoad || this.#isFresh(change)) return this.#judgeFresh(change, tests);
    const seer = await this.#firstToSee(change, tests);
    if (seer !== null) seers.add(seer.test);
    return verdictOf(change, seer);
  }

  /** Judges a change in a process in which it is active while modules load. */
  async #judgeFresh(change: Change, tests: Measured[]): Promise<Verdict> {
    await this.#runner.end();
    const files = [...new Set(tests.map(({ file }) => file))];
    const ready = await this.#runner.startUnder(change.number, files);
    const seer = ready && (await this.#firstToSee(change, tests));
    await this.#runner.kill();
    if (ready === null) return { change, fate: 'seen', by: 'loading' };
    return verdictOf(change, seer);
  }

  async #firstToSee(change: Change, tests: Measured[]): Promise<{ test: Measured; reason: string } | null> {
    for (const test of tests) {
      const reason = await this.#run(test, change.number);
      if (reason === null) continue;
      this.#lastSeer = test;
      return { test, reason };
    }
    return null;
  }

  /**
   * Chooses the tests that reach the change. For a change reached while modules load, adds the tests of files of which one
   * reaches its source. The test that saw the last change comes first, then quick ones, then those that reach most of it.
   */
  #nearest(change: Change, onLoad: boolean): Measured[] {
    const ofSource = this.#bySource.get(change.source) ?? [];
    const share = (test: Measured) => ofSource.filter(({ number }) => test.reached.has(number)).length;
    const rank = (test: Measured) => (test === this.#lastSeer ? 0 : test.ms <= slowMs ? 1 : 2);
    const files = new Set(this.#tests.filter((test) => onLoad && share(test) > 0).map(({ file }) => file));
    const tests = this.#tests
      .filter((test) => test.reached.has(change.number) || files.has(test.file))
      .map((test) => ({ test, rank: rank(test), share: share(test) }))
      .sort((a, b) => a.rank - b.rank || b.share - a.share || a.test.ms - b.test.ms)
      .map(({ test }) => test);
    const slow = tests.filter(({ ms }) => ms > slowMs).slice(slowTests);
    return tests.filter((test) => !slow.includes(test));
  }

  async #run(test: Measured, change: number): Promise<string | null> {
    const limit = Math.min(noLimit, 100 * (test.reached.get(change) ?? 0) + 100_000);
    const { file, place, renew } = test;
    const ask = { file, place, change, limit, renew };
    const withinMs = 3000 + 8 * test.ms;
    const first = await this.#runner.run(ask, withinMs);
    // The machine may have been busy with other work.
    const outcome = first.hung ? await this.#runner.run(ask, 3 * withinMs) : first;
    return outcome.ok ? null : outcome.reason;
  }
}

function verdictOf(change: Change, seer: { test: Measured; reason: string } | null): Verdict {
  if (seer === null) return { change, fate: 'not seen', by: '' };
  return { change, fate: 'seen', by: `${seer.test.name}: ${seer.reason}` };
}
