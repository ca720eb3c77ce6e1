import { globSync } from 'node:fs';

/** Sources to change, and the tests that run on the changes. */
export type Target = {
  name: string;
  sources: string[];
  tests: string[];
  /** Store of the tests. Tests of the other store are left out. */
  store: 'sqlite' | 'mongodb';
  /** Parts of paths whose effect stays in a database: each change is tried on a new one. */
  fresh: string[];
};

const isSource = (file: string) => !file.endsWith('.test.ts') && !file.endsWith('.d.ts');
const adapters = 'core/adapters/';
const stores = /^core\/adapters\/stores\/(sqlite|mongo)\//;
const core = globSync('core/**/*.ts').sort();
const sources = core.filter(isSource);
const unitTests = core.filter((file) => file.endsWith('.test.ts'));
const conformance = globSync('test/conformance/*.test.ts').sort();
const inStore = (name: string) => (file: string) => file.startsWith(`${adapters}stores/${name}/`);

/** Parts of the core with their nearest tests: those beside the sources, and the conformance suite of both stores. */
export const targets: Target[] = [
  {
    name: 'core',
    sources: sources.filter((file) => !file.startsWith(adapters)),
    tests: [...unitTests.filter((file) => !file.startsWith(adapters)), ...conformance],
    store: 'sqlite',
    fresh: [],
  },
  {
    name: 'sqlite',
    sources: sources.filter(inStore('sqlite')),
    tests: [...unitTests.filter(inStore('sqlite')), ...conformance],
    store: 'sqlite',
    fresh: [],
  },
  {
    name: 'mongo',
    sources: sources.filter(inStore('mongo')),
    tests: [
      ...unitTests.filter(inStore('mongo')),
      ...conformance,
      ...globSync('test/mongo/*.test.ts').sort(),
    ],
    store: 'mongodb',
    fresh: ['mongo/schema/indexes.ts', 'mongo/schema/schema.ts'],
  },
  {
    name: 'adapters',
    sources: sources.filter((file) => file.startsWith(adapters) && !stores.test(file)),
    tests: [
      ...unitTests.filter((file) => file.startsWith(adapters) && !stores.test(file)),
      ...globSync('test/{mail-auth,redis}/*.test.ts').sort(),
    ],
    store: 'sqlite',
    fresh: [],
  },
];
