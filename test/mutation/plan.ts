/** Plan of a process that runs tests: the sources to load changed. Stored in a file that the environment names. */
export type Plan = {
  /** Paths of the changed sources, by the URL of the original. */
  sources: Record<string, string>;
  /** URLs of the files of tests. */
  tests: string[];
  /** Stores whose conformance tests are left out: those of the other store, and those that repeat the tests of one. */
  withoutStores: string[];
  /** Number of changes in all sources. */
  changes: number;
};

export const planVariable = 'SANDPOST_MUTATION_PLAN';
/** Variable with the number of the change that is active while modules load. Missing for none. */
export const changeVariable = 'SANDPOST_MUTATION_CHANGE';

/** Number that means no change. */
export const noChange = -1;

/** Variable with the files of tests to load, separated by commas. Missing for all. */
export const filesVariable = 'SANDPOST_MUTATION_FILES';

/** File of a test, and its place there. */
export type TestId = { file: string; place: number };

/**
 * Request to run one test under one change. `limit` bounds how often the change may be reached. `renew` first runs the
 * hooks of the file again, for a test that cannot run twice between them.
 */
export type Ask = TestId & { change: number; limit: number; renew: boolean };

export type Ready = { tests: NamedTest[]; reached: [change: number, times: number][] };
export type NamedTest = TestId & { name: string };
export type Outcome = {
  ok: boolean;
  reason: string;
  /** True if no answer came: the test hung, or ended the process. */
  hung: boolean;
  /** Changes that the test reached, and how often. Empty if a change was active. */
  reached: [change: number, times: number][];
};
