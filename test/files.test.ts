import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const files = globSync('**/*.{ts,tsx}', { exclude: ['**/node_modules/**', 'data/**', '**/dist*/**'] });
const source = (file: string) => readFileSync(file, 'utf8');
const isTest = (file: string) => file.startsWith('test/') || file.includes('.test.');

test('no file is over 300 lines, and half are at most 90', () => {
  const lengthOf = (file: string) => ({ file, lines: source(file).split('\n').length - 1 });
  const lengths = files.map(lengthOf);
  const styles = globSync('api/web/**/*.css', { exclude: ['**/dist*/**'] }).map(lengthOf);
  const unexpected = [...lengths, ...styles].filter(({ lines }) => lines > 300);
  assert.deepEqual(unexpected, []);
  const sorted = lengths.map(({ lines }) => lines).sort((a, b) => a - b);
  assert.ok(
    (sorted[Math.floor(sorted.length / 2)] ?? 0) <= 90,
    `the median file has ${sorted[Math.floor(sorted.length / 2)]} lines`,
  );
});

test('files are named in kebab-case', () => {
  assert.deepEqual(
    files.filter((file) => !/^[a-z0-9]+(-[a-z0-9]+)*(\.test|\.d|\.config)?\.tsx?$/.test(path.basename(file))),
    [],
  );
});

test('the folder of each test says how it is run', () => {
  const run =
    /^test\/((once|each-store|tools|long|alone\/(once|each-store))\/[a-z-]+|cluster)\/[a-z-]+\.test\.ts$/;
  const unit = /^test\/((docs|guard|bench|support\/runner)\/)?[a-z-]+\.test\.ts$/;
  const tests = files.filter((file) => file.startsWith('test/') && file.includes('.test.'));
  const unexpected = tests.filter((file) => !run.test(file) && !unit.test(file));
  assert.deepEqual(unexpected, []);
});

test('a test waits for conditions: timers are only in the clocks that tests share', () => {
  const shared = /^test\/(support\/|bench\/|cluster\/jobs\/|files\.)/;
  const timed = files.filter(
    (file) =>
      isTest(file) &&
      !shared.test(file) &&
      (/setTimeout\b.* from 'node:timers/.test(source(file)) ||
        (file.startsWith('test/') && /(?<![.`\w])setTimeout\(/.test(source(file)))),
  );
  assert.deepEqual(timed, []);
});
