import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { isBounded, readSource } from '#test/support/source/read-source.ts';
import { superLinearParts } from '#test/support/source/super-linear.ts';

const files = globSync('**/*.{ts,tsx}', {
  exclude: ['**/node_modules/**', 'data/**', '**/dist*/**', 'test/**', '**/*.test.ts', '**/*.d.ts'],
});
const sources = files.map((file) => ({ file, ...readSource(file) }));

const known: [pattern: string, flags: string, isSuperLinear: boolean][] = [
  ['\\s*!\\s*important$', 'i', true],
  ['\\s+$', '', true],
  ['<[^>]*>', 'g', true],
  ['foo=[^;]*;', '', true],
  ['^from:[^\\n]*\\n', 'gim', true],
  ['(?:a+)+b', '', true],
  ['^\\S+\\s+\\S+\\s+(.*)$', '', true],
  ['"((?:[^"\\\\]|\\\\.)*)"', 'g', true],
  ['\\s+', 'g', false],
  ['^\\s+', '', false],
  ['^from:[^\\r\\n\\u2028\\u2029]*\\n', 'gim', false],
  ['\\*.*$', 's', false],
  ['(https?:\\/\\/[^\\s]+)(\\?[^\\s]*)?', 'g', false],
];
test('expressions that take more than linear time are known', () => {
  assert.deepEqual(
    known.filter(([pattern, flags, wanted]) => superLinearParts(pattern, flags).length > 0 !== wanted),
    [],
  );
});

test('each expression takes linear time, or says what bounds its input', () => {
  const found = sources
    .flatMap(({ literals }) => literals)
    .filter(({ pattern, flags }) => superLinearParts(pattern, flags).length > 0);
  assert.deepEqual(
    found.filter((one) => !isBounded(one)).map(({ file, line, text }) => `${file}:${line} ${text}`),
    [],
  );
});

test('each expression that a module makes of texts as it is loaded takes linear time', async () => {
  const made: RegExp[] = [];
  const { RegExp: Plain } = globalThis;
  globalThis.RegExp = class extends Plain {
    constructor(...given: ConstructorParameters<typeof Plain>) {
      super(...given);
      made.push(this);
    }
  } as typeof Plain;
  try {
    for (const { file, makesExpressions } of sources)
      if (makesExpressions) await import(`${pathToFileURL(path.resolve(file)).href}?made`);
  } finally {
    globalThis.RegExp = Plain;
  }
  assert.ok(made.length > 0);
  assert.deepEqual(
    made
      // The library does not support names that several alternatives share (ECMAScript 2025).
      .map(({ source, flags }) => ({
        source: source.replace(/\(\?<\w+>/g, '(').replace(/\\k<\w+>/g, '.'),
        flags,
      }))
      .filter(({ source, flags }) => superLinearParts(source, flags).length > 0)
      .map(({ source }) => source),
    [],
  );
});

test('no list whose length a mail chooses is spread into arguments', () => {
  assert.deepEqual(
    sources
      .flatMap(({ spreads }) => spreads)
      .filter((one) => !isBounded(one))
      .map(({ file, line, text }) => `${file}:${line} ${text}`),
    [],
  );
});
