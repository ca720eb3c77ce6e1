import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { settings } from '#setup/settings.ts';
import { settingsPage } from '../../docs/write-settings.ts';

test('docs/settings.md has a row for each setting, with the default and help of the program', () => {
  const page = readFileSync('docs/settings.md', 'utf8');
  assert.equal(page, settingsPage(), 'run: npx node docs/write-settings.ts');
  for (const { variable } of settings) assert.ok(page.includes(`\n| \`${variable}\` | `), variable);
});
