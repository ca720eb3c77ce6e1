import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { dataDirectory, makeFolder } from './file.ts';

test('a folder is created with its parents, for its owner alone, and may exist already', (t) => {
  const parent = mkdtempSync(path.join(tmpdir(), 'sandpost-folder-'));
  t.after(() => rmSync(parent, { recursive: true }));
  const folder = path.join(parent, 'a', 'b', 'c');
  for (let times = 0; times < 2; times += 1) {
    makeFolder(folder, dataDirectory(folder));
    for (const made of [folder, path.dirname(folder)]) {
      assert.ok(statSync(made).isDirectory());
      assert.equal(statSync(made).mode & 0o777, 0o700);
    }
  }
  const file = path.join(parent, 'file');
  writeFileSync(file, '');
  assert.throws(() => makeFolder(file, dataDirectory(file)), {
    message: `the data directory ${file} (SANDPOST_DATA_DIR) is a file, not a folder`,
  });
  const below = path.join(file, 'below');
  assert.throws(() => makeFolder(below, dataDirectory(below)), {
    message: `the data directory ${below} (SANDPOST_DATA_DIR) cannot be created: ENOTDIR`,
  });
});
