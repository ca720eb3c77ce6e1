import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import { limitRows, limitsPage } from '../../docs/write-limits.ts';

test('docs/limits.md has a row for each limit of the code, with its bound', () => {
  const names = Object.entries(limits).flatMap(([section, entries]) =>
    Object.keys(entries).map((name) => `${section}.${name}`),
  );
  assert.deepEqual(
    limitRows()
      .map(({ name }) => name)
      .toSorted(),
    names.toSorted(),
  );
  assert.equal(readFileSync('docs/limits.md', 'utf8'), limitsPage());
});

test('the program counts each limit but those that the page marks with an asterisk', () => {
  const files = globSync(
    '{adapters,api,commands,core,gate,maintenance,operator,setup,smtp,telemetry}/**/*.ts',
    { exclude: ['**/*.test.ts'] },
  );
  const program = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  // A limit's quoted name occurs only where the limit is counted.
  const wrong = limitRows().filter(({ name, counted }) => counted !== program.includes(`'${name}'`));
  assert.deepEqual(wrong, []);
});
