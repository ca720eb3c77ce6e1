import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { instructions, llmsText, skillText } from '#api/mcp/texts.ts';
import { tools } from '#api/mcp/tools/index.ts';
import { routes } from '#api/routes/index.ts';

const page = readFileSync('docs/mcp.md', 'utf8');
const rows = [...page.matchAll(/^\| `(\w+)` \| .* \| `(\w+) ([^`?]+)[^`]*` \| `(\w+)` \|$/gm)];

test('the page has each tool with its scope and an operation that there is', () => {
  assert.deepEqual(
    rows.map(([, name, , , scope]) => `${name} ${scope}`).sort(),
    tools.map(({ name, permission }) => `${name} ${permission === 'write' ? 'full' : 'read'}`).sort(),
  );
  const known = routes.map(
    ({ method, path }) => `${method.toUpperCase()} ${path.replaceAll(/\{\w+\}/g, '{id}')}`,
  );
  for (const [, name, method, path] of rows) assert.ok(known.includes(`${method} ${path}`), name);
});

test('configurations of clients are JSON, and name the same address', () => {
  const blocks = [...page.matchAll(/^```json\n([\s\S]*?)^```/gm)].map(([, text = '']) => text);
  assert.equal(blocks.length, 2);
  for (const block of blocks)
    assert.match(JSON.stringify(JSON.parse(block)), /"http:\/\/localhost:8080\/mcp"/);
});

test('texts for language models name tools and paths that there are, and this server', () => {
  const names = tools.map(({ name }) => name);
  for (const text of [instructions, llmsText('https://mail.example'), skillText('https://mail.example')]) {
    for (const [name] of text.matchAll(/\b[a-z]+_(?:address|mail|attachment|failure)\b/g))
      assert.ok(names.includes(name), name);
    for (const [path] of text.matchAll(/(?<=GET )\/api\/\w+/g))
      assert.ok(
        routes.some((route) => route.path.startsWith(path)),
        path,
      );
    assert.match(text, /untrusted/);
  }
  assert.match(llmsText('https://mail.example'), /\(https:\/\/mail\.example\/skills\/sandpost\/SKILL\.md\)/);
  assert.match(skillText('https://mail.example'), /^---\nname: sandpost\ndescription: [^\n]{1,1024}\n---\n/);
});
