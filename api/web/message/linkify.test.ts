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

test('no link is made of a URL that is not http or https', () => {
  for (const url of ['https://a.test', 'http://a.test/x']) assert.ok(isWebLink(url), url);
  for (const url of ['javascript:alert(1)', 'data:text/html,x', '/x', 'https:///x', ' https://a.test', ''])
    assert.ok(!isWebLink(url), url);
});

test('brackets and punctuation at the end are cut, however many', () => {
  const cases: [text: string, found: string[]][] = [
    [`http://a/${')'.repeat(30_000)}`, ['http://a/']],
    [`http://a/(${')'.repeat(3000)}`, ['http://a/()']],
    [`http://a/x${'.)'.repeat(3000)}`, ['http://a/x']],
    [`http://a/${'.'.repeat(8000)}x`, [`http://a/${'.'.repeat(8000)}x`]],
  ];
  for (const [text, found] of cases) assert.deepEqual(urls(text), found);
});

test('a URL over 8 KiB and a link beyond the two thousandth stay text', () => {
  const [long = ''] = urls(`http://a/${'x'.repeat(20_000)}`);
  assert.equal(long.length, 8192);
  const many = 'http://a/ '.repeat(3000);
  const pieces = linkify(many);
  assert.equal(pieces.filter(({ url }) => url !== null).length, 2000);
  assert.equal(pieces.map(({ text }) => text).join(''), many);
});
