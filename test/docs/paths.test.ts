import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';

const pages = globSync('{*,docs/**/*,{api,charts,test}/**/*}.md', { exclude: ['**/node_modules/**'] });
const linesOf = (page: string) => readFileSync(page, 'utf8').split('\n');

/** Values of the names in angle brackets. */
const placeholders: Record<string, string[]> = {
  '<store>': ['sqlite', 'mongo'],
  '<kind>': ['domain', 'account', 'api-key'],
};
const folders =
  'adapters|api|bin|charts|clients|commands|core|crds|docs|gate|maintenance|operator|setup|smtp|telemetry|test';
/** Code spans that name a file or folder in the repository, from its root. */
const span = new RegExp(`\`((?:${folders})/[\\w./<>-]*)\``, 'g');

function expand(name: string): string[] {
  const found = Object.entries(placeholders).find(([placeholder]) => name.includes(placeholder));
  if (found === undefined) return [name];
  const [placeholder, values] = found;
  return values.flatMap((value) => expand(name.replaceAll(placeholder, value)));
}

test('each path that a page names exists', () => {
  const missing = pages.flatMap((page) =>
    linesOf(page).flatMap((line, index) =>
      [...line.matchAll(span)]
        .flatMap(([, name = '']) => expand(name))
        .filter((name) => !existsSync(name))
        .map((name) => `${page}:${index + 1}: ${name}`),
    ),
  );
  assert.deepEqual(missing, []);
});

test('each link between pages leads to a file', () => {
  const missing = pages.flatMap((page) =>
    linesOf(page).flatMap((line, index) =>
      [...line.matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)]
        .map(([, target = '']) => target)
        .filter((target) => !existsSync(path.join(path.dirname(page), target)))
        .map((target) => `${page}:${index + 1}: ${target}`),
    ),
  );
  assert.deepEqual(missing, []);
});

test('there are at most 50 decisions of at most 71 lines, and the index lists each by its title', () => {
  const files = globSync('docs/decisions/[0-9]*.md').sort();
  assert.ok(files.length <= 50, `${files.length} decisions`);
  const expected = files.map((file) => {
    const name = path.basename(file);
    const [title = '', blank, date = '', ...text] = linesOf(file);
    assert.ok(title.startsWith(`# ${Number(name.slice(0, 4))}. `), `${name} has its number in its title`);
    assert.ok(blank === '' && /^\d{4}-\d\d-\d\d$/.test(date), `${name} has its date below its title`);
    assert.ok(text.length <= 68, `${name} has ${text.length + 3} lines`);
    return `- [${title.slice(2)}](${name})`;
  });
  assert.deepEqual(
    linesOf('docs/decisions/README.md').filter((line) => line.startsWith('- ')),
    expected,
  );
});

test('each script of package.json is explained in CONTRIBUTING.md', () => {
  const { scripts }: { scripts: Record<string, string> } = JSON.parse(readFileSync('package.json', 'utf8'));
  const page = readFileSync('CONTRIBUTING.md', 'utf8');
  const unexplained = Object.keys(scripts).filter(
    (name) => !new RegExp(`\`npm (run )?${name}[\` ]`).test(page),
  );
  assert.deepEqual(unexplained, []);
});
