import { existsSync, globSync } from 'node:fs';

/** A source file and the tests that are nearest to it. */
export type Target = { source: string; tests: string[] };

/** Conformance tests, and the files of both stores that they are about. */
const conformance: Record<string, string[]> = {
  accounts: ['accounts'],
  access: ['users', 'sessions', 'api-keys'],
  cascade: ['bury', 'removals', 'message-removal'],
  deliveries: ['deliveries', 'delivery-accounts', 'delivery-state', 'plan-writer', 'stage-mails'],
  domains: ['domains'],
  expiry: ['message-expiry'],
  journal: ['journal'],
  leases: ['leases'],
  lists: ['message-list', 'message-scope', 'message-totals'],
  mailboxes: ['mailboxes'],
  messages: ['messages', 'message-lookup', 'message-changes', 'message-writes'],
  search: ['message-search'],
  threads: ['conversations'],
};

/** The pure files of the core that have tests beside them, and the files of the stores. */
export const targets: Target[] = [
  ...globSync('core/**/*.test.ts').map((test) => ({
    source: test.replace('.test.ts', '.ts'),
    tests: [test],
  })),
  ...Object.entries(conformance).flatMap(([name, files]) =>
    globSync(`core/adapters/stores/{sqlite,mongo}/**/{${files.join(',')},}.ts`).map((source) => ({
      source,
      tests: [`test/conformance/${name}.test.ts`],
    })),
  ),
].filter(({ source }) => existsSync(source));
