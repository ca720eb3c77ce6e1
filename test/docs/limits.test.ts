import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { limitTable } from '#gate/limits.ts';
import { limitsPage } from '../../docs/write-limits.ts';

test('docs/limits.md lists the limits of the code', () => {
  assert.equal(readFileSync('docs/limits.md', 'utf8'), limitsPage());
});

test('the program counts each limit that the table marks as counted', () => {
  const files = globSync(
    '{adapters,api,commands,core,gate,maintenance,operator,setup,smtp,telemetry}/**/*.ts',
    { exclude: ['**/*.test.ts'] },
  );
  const program = files.map((file) => readFileSync(file, 'utf8')).join('\n');
  const names = Object.entries(limitTable).flatMap(([section, entries]) =>
    Object.entries(entries).map(([name, { counted }]) => ({ name: `${section}.${name}`, counted })),
  );
  // The name of a limit occurs only where it is counted. The compiler refuses names that are not counted ones.
  const forgotten = names.filter(({ name, counted }) => counted !== program.includes(`'${name}'`));
  assert.deepEqual(forgotten, []);
});
