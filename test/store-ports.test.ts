import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import * as errors from '#core/errors.ts';

const source = (file: string) => readFileSync(file, 'utf8');
const isTest = (file: string) => file.includes('.test.');

/** Errors that report what only a store can know. */
const ofStores = ['NotFound', 'Duplicate', 'SearchTimeout', 'StoreFull', 'StoreUnavailable'];

test('a store creates only errors that a store can know', () => {
  const offenders = globSync('adapters/stores/**/*.ts')
    .filter((file) => !isTest(file))
    .flatMap((file) =>
      [...source(file).matchAll(/\bnew (\w+)\(|\b(invalid|refuse\w+)\(/g)]
        .map(([, created = '', refusal = '']) => created || refusal)
        .filter((name) => name in errors && !ofStores.includes(name))
        .map((name) => `${file}: ${name}`),
    );
  assert.deepEqual(offenders, []);
});

/** Maximum methods in all the store's ports. A new rule is a plan in the core, not a method. */
const mostMethods = 48;

/** Returns the port methods that a file declares. */
function methodsOf(file: string): string[] {
  const ports = source(file).matchAll(
    /^export type (\w*(?:Store|Journal|DomainMoves|Rows)\w*)(?: =|<.*> =) \{\n([\s\S]*?)^\};/gm,
  );
  return [...ports].flatMap(([, port = '', body = '']) =>
    [...body.matchAll(/^ {2}(\w+)(?:<.*>)?\??(?:\(|: \()/gm)].map(([, name]) => `${port}.${name}`),
  );
}

test('the ports of the store have few methods', () => {
  const methods = globSync('core/**/*.ts')
    .filter((file) => !isTest(file))
    .flatMap(methodsOf);
  assert.ok(methods.includes('RowStore.change'), methods.join(' '));
  assert.ok(methods.length <= mostMethods, `${methods.length} methods: ${methods.join(' ')}`);
});
