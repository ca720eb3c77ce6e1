import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isWebLink, linkify } from './linkify.ts';

const urls = (text: string) => linkify(text).flatMap(({ url }) => (url === null ? [] : [url]));

test('URLs end before the punctuation of the sentence', () => {
  const cases: [text: string, found: string[]][] = [
    ['no link here', []],
    ['see https://a.test/x.', ['https://a.test/x']],
    ['(https://a.test/x)', ['https://a.test/x']],
    ['https://a.test/x_(y), and', ['https://a.test/x_(y)']],
    ['<https://a.test/?b=c&d=e>', ['https://a.test/?b=c&d=e']],
    ['https://a.test http://b.test/', ['https://a.test', 'http://b.test/']],
    ['HTTPS://A.test', ['HTTPS://A.test']],
    ['https://', []],
    ['javascript:alert(1) data:text/html,x ftp://a.test', []],
  ];
  for (const [text, found] of cases) assert.deepEqual(urls(text), found, text);
});

test('the pieces are the whole text', () => {
  const text = 'a https://a.test/, b\nhttps://b.test?q=(1). c';
  assert.equal(
    linkify(text)
      .map((piece) => piece.text)
      .join(''),
    text,
  );
});

test('only web links lead anywhere', () => {
  for (const url of ['https://a.test', 'http://a.test/x']) assert.ok(isWebLink(url), url);
  for (const url of ['javascript:alert(1)', 'data:text/html,x', '/x', 'https:///x', ' https://a.test', ''])
    assert.ok(!isWebLink(url), url);
});
