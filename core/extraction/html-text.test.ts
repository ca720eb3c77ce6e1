import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHtml } from './html-text.ts';
import { intro } from './intro.ts';

const texts: [html: string, text: string][] = [
  ['', ''],
  ['plain', 'plain'],
  ['a  \t\n b', 'a b'],
  ['<p>one</p><p>two</p>', 'one\n\ntwo'],
  ['<p>one</p>\n\n<p></p><br><hr>\n<p>two</p>', 'one\n\ntwo'],
  ['<DIV>one</DIV>two', 'one\ntwo'],
  ['<b>o</b>ne', 'one'],
  ['one<br/>two<br />three', 'one\ntwo\nthree'],
  ['<tr><td>a</td><td>b</td><th>c</th></tr>', 'a b c'],
  ['1 < 2 <3', '1 < 2 <3'],
  ['a < 2 <3 b', 'a < 2 <3 b'],
  ['seen <unended', 'seen'],
  ['a<!-- > hidden -->b', 'ab'],
  ['a<!-->b-->c', 'ac'],
  ['a<!-- never ends >b', 'a'],
  ['<!doctype html><?xml x?>a', 'a'],
  ['<i title="a > b">c</i>', 'c'],
  ["<i title='a > b'>c</i>", 'c'],
  ['<i title="it\'s > b">c</i>', 'c'],
  ["<i it's>c</i>", 'c'],
  ['a<script>x < y; "</p>"</script>b', 'ab'],
  ['a<STYLE>x</style >b<title>t</title/>c<template>t</template\n>d', 'abcd'],
  ['a<script>x</scripts>y', 'a'],
  ['a<textarea>x</textarea', 'a'],
  ['a<textarea>x</textarea y', 'a'],
  ['a<img src=x alt="A cat">b<img>c', 'aA catbc'],
  ['&amp;&lt;&GT;&quot;&nbsp;&eacute;&amp b', '&<&GT;" &eacute;& b'],
  ['&apos;&bull;&copy;&euro;&gt;&hellip;&laquo;&raquo;&ldquo;&rdquo;', "'•©€>…«»“”"],
  ['&lsquo;&rsquo;&mdash;&ndash;&middot;&pound;&reg;&trade;', '‘’—–·£®™'],
  ['a&shy;b&zwj;c&zwnj;d', 'abcd'],
  ['&#65;&#x42;&#x63;&#68', 'ABcD'],
  ['&#0;&#x110000;&#1114112;', '&#0;&#x110000;&#1114112;'],
  ['&#x10FFFF;|&#1;', '\u{10FFFF}|\u0001'],
  ['a\u200b\ufeff b&#847;c', 'a b c'],
  ['AT&T & co', 'AT&T & co'],
];
for (const [html, text] of texts) {
  test(`what is seen of ${html}`, () => assert.equal(readHtml(html).text, text));
}

const anchors: [html: string, anchors: [href: string, text: string][]][] = [
  ['<a href="https://a.test/?x=1&amp;y=2">go</a>', [['https://a.test/?x=1&y=2', 'go']]],
  ["<A HREF='https://a.test'>go</A> on", [['https://a.test', 'go']]],
  ['<a href=https://a.test>go', [['https://a.test', 'go']]],
  ['<a  class=x\n href = " https://a.\r\n\ttest ">go</a>', [['https://a.test', 'go']]],
  ['<a data-href="no" href="yes">go</a>', [['yes', 'go']]],
  ['<a name=top>top</a>', []],
  ['<a href=x><b>one</b><br>two <img alt=three></a>', [['x', 'one two three']]],
  [
    '<a href=x>one<a href=y>two</a>three</a>',
    [
      ['x', 'one'],
      ['y', 'two'],
    ],
  ],
  ['<abbr href=x>no</abbr>', []],
  ['</a>none', []],
];
for (const [html, wanted] of anchors) {
  test(`links of ${html}`, () =>
    assert.deepEqual(
      readHtml(html).anchors.map(({ href, text }) => [href, text]),
      wanted,
    ));
}

test('a thousand links are read, and a mebibyte', () => {
  assert.equal(readHtml('<a href=x>y</a>'.repeat(1001)).anchors.length, 1000);
  const filled = `${'x'.repeat(1_048_575)}yz`;
  assert.equal(readHtml(filled).text, filled.slice(0, -1));
});

test('an intro is 140 units of folded text, and no half of a pair', () => {
  assert.equal(intro('  a \r\n\t b  '), 'a b');
  assert.equal(intro('x'.repeat(141)), 'x'.repeat(140));
  assert.equal(intro(`${'x'.repeat(139)} y`), 'x'.repeat(139));
  assert.equal(intro(`${'x'.repeat(139)}😀`), 'x'.repeat(139));
  assert.equal(intro(`${'x'.repeat(138)}😀`), `${'x'.repeat(138)}😀`);
});
