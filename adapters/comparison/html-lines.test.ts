import assert from 'node:assert/strict';
import { test } from 'node:test';
import { htmlLines } from './html-lines.ts';

const cases: [name: string, html: string, lines: string[]][] = [
  [
    'tags have lower-case names and sorted attributes',
    '<A  TITLE="b" href=\'a\' title=c disabled>x</A >',
    ['<a disabled href="a" title="b">', 'x', '</a>'],
  ],
  [
    'white space of texts and attributes is folded',
    '<p class=" a\n b ">\n  x\n  y </p>',
    ['<p class="a b">', 'x y', '</p>'],
  ],
  [
    'character references are read',
    '<p title="&quot;&#65;">a&amp;b &lt;c&nbsp;d',
    ['<p title=""A">', 'a&b <c d'],
  ],
  ['void elements have no end', '<br/><img src=a><hr></p>', ['<br>', '<img src="a">', '<hr>']],
  [
    'a style sheet has a line for each of its own',
    '<style>a{}\n\n  b{}</style>',
    ['<style>', 'a{}', 'b{}', '</style>'],
  ],
  [
    'comments and declarations stay',
    '<!DOCTYPE  HTML><!--[if mso]> x <![endif]-->',
    ['<!doctype html>', '<!-- [if mso]> x <![endif] -->'],
  ],
  ['a text alone', 'Hello', ['Hello']],
  ['nothing', '', []],
];
for (const [name, html, lines] of cases) {
  test(name, () => {
    const texts = htmlLines(html).map(({ text }) => text);
    assert.deepEqual(texts, lines);
  });
}

test('a path names the elements around a line, the innermost four', () => {
  const paths = htmlLines('<html><body><table><tr><td>x</td></tr></table><p>y').map(({ path, text }) => [
    text,
    path,
  ]);
  assert.deepEqual(paths.slice(5, 7), [
    ['x', 'body > table > tr > td'],
    ['</td>', 'html > body > table > tr'],
  ]);
  assert.deepEqual(paths.at(-1), ['y', 'html > body > p']);
});

test('a path has the first 40 characters of a long name', () => {
  const { path } = htmlLines(`<${'x'.repeat(41)}>y`)[1] ?? {};
  assert.equal(path, `${'x'.repeat(40)}…`);
});

test('a million bytes of any HTML take linear time', () => {
  for (const html of [
    '<div>'.repeat(200_000),
    '<b></b>'.repeat(140_000),
    '<a b=c '.repeat(140_000),
    '&amp;'.repeat(200_000),
    '</p>'.repeat(250_000),
    `<${'x'.repeat(500_000)}>${'<p></p>'.repeat(70_000)}`,
  ])
    htmlLines(html);
});
