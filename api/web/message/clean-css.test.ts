import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cleanUrls } from './clean-css.ts';

test('each URL is replaced by the caller', () => {
  const cases: [css: string, urls: string[]][] = [
    ['background: url(http://a/x)', ['http://a/x']],
    ['background: URL(  "http://a/x"  )', ['http://a/x']],
    [`background: url('http://a/"x')`, ['http://a/"x']],
    ['--x: url(http://a/\\(b\\))', ['http://a/\\(b\\)']],
    ['background: url("a)b"), url(c)', ['a)b', 'c']],
    ['background: url()', ['']],
    ['background: url("a\\"b")', ['a\\"b']],
  ];
  for (const [css, urls] of cases) {
    const found: string[] = [];
    const clean = cleanUrls(css, (url) => {
      found.push(url);
      return 'kept';
    });
    assert.deepEqual(found, urls, css);
    assert.equal(clean.match(/url\("kept"\)/g)?.length, urls.length, clean);
  }
});

test('a custom property stands in place of a URL, and a URL that only looks like one does not', () => {
  assert.equal(
    cleanUrls('background: url(cid:a) red', () => 'var(--picture-0)'),
    'background: var(--picture-0) red',
  );
  for (const kept of ['var(--a) url(b)', 'var(--a);color:red', 'var(--a, b)', ' var(--a)']) {
    assert.equal(
      cleanUrls('background: url(x)', () => kept),
      `background: url("${kept}")`,
    );
  }
});

test('an unfinished URL token is removed', () => {
  for (const css of [
    'content: "url("',
    'content: "url( "',
    '--x: url(a b)',
    'url(',
    'url("a',
    "url('a) url(b",
  ]) {
    const clean = cleanUrls(css, () => 'kept');
    assert.doesNotMatch(clean, /url\((?!"kept"\))/i, clean);
  }
});
