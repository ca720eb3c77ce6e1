import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const readme = readFileSync('README.md', 'utf8');

test('the README has at most 150 lines and 9 KB', () => {
  assert.ok(readme.split('\n').length <= 151, `${readme.split('\n').length - 1} lines`);
  assert.ok(Buffer.byteLength(readme) <= 9000, `${Buffer.byteLength(readme)} bytes`);
});

test('the README has the commands that run and test a fresh checkout, and a picture before all prose', () => {
  for (const command of ['npm ci && npm start', 'npm ci && npm test'])
    assert.ok(readme.includes(`\`\`\`sh\n${command}\n\`\`\`\n`), command);
  assert.match(readme, /^# Sandpost\n\n!\[[^\]]+\]\(docs\/screenshots\/\S+\)\n\n/);
});

test('the index lists each page of docs/', () => {
  const index = readFileSync('docs/README.md', 'utf8');
  const pages = globSync('*.md', { cwd: 'docs' }).filter((page) => page !== 'README.md');
  const unexpected = pages.filter((page) => !index.includes(`](${page})`));
  assert.deepEqual(unexpected, []);
  const from = readFileSync('docs/from/README.md', 'utf8');
  const moves = globSync('docs/from/*.md').map((page) => path.basename(page));
  assert.deepEqual(
    moves.filter((page) => page !== 'README.md' && !from.includes(`](${page})`)),
    [],
  );
});
