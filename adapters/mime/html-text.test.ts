import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readHtml } from './html-text.ts';

test('reads HTML as a reader sees it', () => {
  const { text } = readHtml(
    '<html><head><title>No</title><style>p{}</style></head><!-- no --><body><h1>Hi&nbsp;&#x1F600;</h1>\n<p>one<br>two &lt;3 &bogus; &#99999999;</p><script>if (a<b) no</script><table><tr><td>1</td><td>2</td></tr></table>',
  );
  assert.equal(text, 'Hi \u{1F600}\n\none\ntwo <3 &bogus; &#99999999;\n\n1 2');
});

test('keeps the lines of preformatted text', () => {
  const { text } = readHtml('<p>one\ntwo</p><pre>Your  code:\r\n\r\n  <b>4829</b>\nBob</pre>three\nfour');
  assert.equal(text, 'one two\n\nYour code:\n\n4829\nBob\nthree four');
});

const references: [html: string, text: string][] = [
  ['M&uuml;ller &eacute;t&eacute; &szlig; &AMP; &ouml; &Uuml;', 'Müller été ß & ö Ü'],
  ['&ntilde;&iquest;&ccedil;&aring;&oslash;&aelig;&eth;&thorn;', 'ñ¿çåøæðþ'],
  ['&scaron;&lstrok;&ecaron;&#x142;&#337;', 'šłěłő'],
  ['&alpha;&Omega;&yacy;&YAcy;', 'αΩяЯ'],
  ['&euro;&pound;&yen;&copy;&reg;&trade;&sect;', '€£¥©®™§'],
  ['&ldquo;&rdquo;&bdquo;&lsquo;&rsquo;&laquo;&raquo;&hellip;&ndash;&mdash;', '“”„‘’«»…–—'],
  ['&rarr;&check;&starf;&hearts;', '→✓★♥'],
  ['&NotEqualTilde;', '\u2242\u0338'],
  ['&CounterClockwiseContourIntegral;', '∳'],
  ['&AMP &LT &uuml &copy2026', '& < ü ©2026'],
  ['&notit; &notin; &ampx', '¬it; ∉ &x'],
  ['&#65;&#x42;&#X43;&#68 &#x45', 'ABCD E'],
  ['&#150; &#x80; &#146;', '– € ’'],
  ['a&#10;b&NewLine;c&Tab;d&emsp;e', 'a b c d e'],
  ['& &; &# &#; &#x; &#xg; &u; &bogus; &Alpha &uuml', '& &; &# &#; &#x; &#xg; &u; &bogus; &Alpha ü'],
  ['&#0; &#xD800; &#x110000;', '&#0; &#xD800; &#x110000;'],
  ['&amp;uuml; &amp;lt;b&amp;gt;', '&uuml; &lt;b&gt;'],
  ['Wort&shy;teil', 'Wortteil'],
  ['a&zwnj;&nbsp;&zwnj;&nbsp;&zwnj;b &#847;&#8203;&#65279; c', 'a b c'],
  [
    'a&nbsp;&#8204;&nbsp;&#x200C;\u00a0\u200c\u200d b \u0645\u06cc\u200c\u062e',
    'a b \u0645\u06cc\u200c\u062e',
  ],
  ['&#x1F469;&#x200D;&#x1F4BB;', '\u{1F469}\u200D\u{1F4BB}'],
];

for (const [html, text] of references) {
  test(`decodes ${html}`, () => {
    assert.equal(readHtml(html).text, text);
    assert.equal(readHtml(`<b title="${html}">${html}</b>`).text, text);
  });
}

const markup: [html: string, text: string][] = [
  ['', ''],
  ['plain\n  text', 'plain text'],
  ['<p>a<p>b', 'a\nb'],
  ['a<BR/>b<br />c</br>d', 'a\nb\nc\nd'],
  ['<ul><li>a<li>b</ul>c', 'a\nb\nc'],
  ['<td>a<td>b<th>c', 'a b c'],
  ['<b>a</b><i>b</i>', 'ab'],
  ['1 < 2 > 0 <3 <- a<', '1 < 2 > 0 <3 <- a<'],
  ["<p title='a>b'>c", 'c'],
  ["<p>it's <b title=it's>fine</b>", "it's fine"],
  ['<b title = "a>b" >c', 'c'],
  ['a<!-- b > c -->d<!--e', 'ad'],
  ['a<!-->b<!--->c', 'abc'],
  ['<!DOCTYPE html><?xml version="1.0"?>a', 'a'],
  ['<!--[if mso]><p>a</p><![endif]-->b<![if !mso]>c<![endif]>', 'bc'],
  ['<SCRIPT>a</scripty></script >b', 'b'],
  ['<style>a', ''],
  ['<template><p>a</template>b', 'b'],
  ['<title>a &lt;/title&gt;</title>b', 'b'],
  ['<textarea><b></textarea>a', 'a'],
  ['<img src=x alt="A &uuml; picture"><img alt=b><img alt>c', 'A ü picturebc'],
  ['<o:p>a</o:p>', 'a'],
  ['<input value="4"><input type=text value=8><input TYPE="Submit" value="Go &uuml;">', '4 8 Go ü'],
  ['a<input type=hidden value=1><input value=2 type="password"><input type=checkbox value=3>', 'a'],
  ['a<input><input value><input name=value>b', 'a b'],
  ['4\u200b8\u2060&#8203;2 \ufeff9', '482 9'],
  ['a</ b>c</3>d', 'acd'],
  ['a<b', 'a'],
  ['a<a href="x', 'a'],
  ['a\0b', 'a\0b'],
];

for (const [html, text] of markup) {
  test(`reads ${JSON.stringify(html)}`, () => assert.equal(readHtml(html).text, text));
}

const linksOf = (html: string) => readHtml(html).anchors.map(({ href, text }) => ({ href, text }));
const anchors: [html: string, href: string, text: string][] = [
  ['<a href="/?a=1&amp;b=2&copy=3&lt4&uuml;">x</a>', '/?a=1&b=2&copy=3&lt4ü', 'x'],
  ['<a href=x href=y>1</a>', 'x', '1'],
  ['<a data-href=x HREF = y>1</a>', 'y', '1'],
  ['<a title=">" href=\'a"b\'>1', 'a"b', '1'],
  ['<a href=a/b/>1</a>', 'a/b/', '1'],
  ['<a href=" a\n b ">1<p>2</a>3', 'a b', '1 2'],
  ['<a href="">M&uuml;ller', '', 'Müller'],
];

anchors.push(
  ['<map><area shape=rect href="https://a.test/x" alt="Verify"></map>', 'https://a.test/x', 'Verify'],
  ['<a href="//a.test/x">y</a>', 'https://a.test/x', 'y'],
  ['<base href="https://a.test/m/"><a href="x?t=1">y</a>', 'https://a.test/m/x?t=1', 'y'],
  ['<a href="/x">y</a><base href="//a.test/m/"><base href="https://b.test">', 'https://a.test/x', 'y'],
  ['<base href="https://a.test"><a href="HTTPS://b.test/x">y</a>', 'HTTPS://b.test/x', 'y'],
  ['<base href="https://a.test"><a href="mailto:x@b.test">y</a>', 'mailto:x@b.test', 'y'],
  ['<base target=_blank><base href="http://["><a href="x">y</a>', 'x', 'y'],
  ['<a href="x" title="Ttl" aria-label="Verify"><img src=i></a>', 'x', 'Verify'],
  ['<a href="x" title="Verify"><img src=i alt=""></a>', 'x', 'Verify'],
  ['<a href="x" title="no">y</a>', 'x', 'y'],
);
for (const [html, href, text] of anchors) {
  test(`reads the link of ${JSON.stringify(html)}`, () => {
    assert.deepEqual(linksOf(html), [{ href, text }]);
  });
}

test('ends a link where the next begins, and passes over anchors without a target', () => {
  assert.deepEqual(linksOf('<a href=1>a<a href=2>b</a>c<a name=x>d</a><a href>e</a>'), [
    { href: '1', text: 'a' },
    { href: '2', text: 'b' },
  ]);
});

test('reads the first MiB and the first thousand links', () => {
  assert.equal(readHtml(`${'x'.repeat(1_048_576)}<p>behind`).text.length, 1_048_576);
  assert.equal(readHtml('<a href=x>y</a>'.repeat(2000)).anchors.length, 1000);
});

const hostile = [
  ...['<', '<<', '</', '<!', '<?', '<a', '<a ', '<!--', '<!-- -', '<![CDATA[', ']]>', '>'],
  ...['<b>', '<p>', '</b>', '</p>', '<div><span>', '<p></i>', '<table><tr><td>', '<svg>', '<math><mi>'],
  ...['<script>', '<script', '</script', '<title>', '<title>&', '<style><', '<template>', '<textarea>'],
  ...['<a href=x>', '<a href="', "<a href='&", '<a "', '<a b=c ', '<a/', '<a href=1 href=2>', "<a '='"],
  ...['&', '&#', '&#x', '&#x1', '&#1', '&uuml', '&uuml;', '&bogus;', '&#99999999;', '&zwnj;&nbsp;', '&lt;'],
  ...[
    '&CounterClockwiseContourIntegra',
    '<img alt="&uuml;">',
    '<img alt=x>',
    '<input value=1 type=2>',
    ' \n',
    '\u200b',
    '\0',
  ],
];

for (const filler of hostile) {
  test(`takes linear time on ${JSON.stringify(filler)}`, () => {
    for (const [head, tail] of [
      ['', ''],
      ['<a href="', '">'],
    ]) {
      const body = filler.repeat(1_048_576 / filler.length);
      const started = process.cpuUsage();
      readHtml(`${head}${body}${tail}`);
      const { user } = process.cpuUsage(started);
      assert.ok(user < 1_500_000, `${head}: ${user} µs`);
    }
  });
}
