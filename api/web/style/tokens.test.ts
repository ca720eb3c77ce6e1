import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';

const css = readFileSync(new URL('./tokens.css', import.meta.url), 'utf8');
const rulesOf = (selector: string) => {
  const begin = css.indexOf(`${selector} {`);
  assert.ok(begin >= 0, selector);
  return css
    .slice(css.indexOf('{', begin) + 1, css.indexOf('}', begin))
    .split(';')
    .map((rule) => rule.trim());
};

test('dark is the same by choice and by the system', () => {
  const chosen = rulesOf(':root[data-theme="dark"]');
  assert.deepEqual(chosen, rulesOf(':root:not([data-theme="light"])'));
  assert.ok(chosen.length > 20);
});
