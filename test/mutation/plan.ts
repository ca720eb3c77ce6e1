/** Tells a process that runs tests which sources to load changed. Kept in a file that the environment names. */
export type Plan = {
  /** Paths of the changed sources, by the URL of the original. */
  sources: Record<string, string>;
  /** URLs of the files of tests. */
  tests: string[];
  /** Beginning of names of conformance tests that are left out. */
  withoutStore: string;
  /** Number of changes in all sources. */
  changes: number;
};

export const planVariable = 'SANDPOST_MUTATION_PLAN';
/** Number of the change that is active while modules load. Missing for none. */
export const changeVariable = 'SANDPOST_MUTATION_CHANGE';

/** Number of a change where none is active. */
export const noChange = -1;

/** Files of tests to load instead of all, by commas. */
export const filesVariable = 'SANDPOST_MUTATION_FILES';

/** Place of a test in its file. */
export type TestId = { file: string; place: number };

/**
 * Asks for a run of one test under one change. `limit` bounds how often the change may be reached. `renew` runs the
 * hooks of the file anew before it, for a test that cannot run twice between them.
 */
export type Ask = TestId & { change: number; limit: number; renew: boolean };

export type Ready = { tests: NamedTest[]; reached: [change: number, times: number][] };
export type NamedTest = TestId & { name: string };
export type Outcome = {
  ok: boolean;
  reason: string;
  /** No answer came: it hung, or ended the process. */
  hung: boolean;
  /** Changes that the test reached, and how often. Empty where one is active. */
  reached: [change: number, times: number][];
};
