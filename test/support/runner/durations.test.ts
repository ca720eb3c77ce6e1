import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { keepDurations } from './durations.ts';

test('durations are kept beside those of the run before, the longest first', (t) => {
  const folder = mkdtempSync(path.join(tmpdir(), 'durations-'));
  t.after(() => rmSync(folder, { recursive: true }));
  const file = path.join(folder, 'durations.log');
  keepDurations(file, [
    ['a', 1],
    ['b', 3],
  ]);
  keepDurations(file, [
    ['a', 2],
    ['c', 5],
    ['b', 1],
  ]);
  assert.equal(readFileSync(file, 'utf8'), 's\tbefore\twhat\n5\t\tc\n2\t1\ta\n1\t3\tb\n');
});
