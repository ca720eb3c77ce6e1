import assert from 'node:assert/strict';
import { test } from 'node:test';
import { urlsInText } from './urls-in-text.ts';

const U = 'https://a.test/x?t=aB3';
const cases: [text: string, urls: string[]][] = [
  // Unreserved characters at the end belong to a URL (RFC 3986 section 2.3), unless they mark emphasis.
  ...['_', '-', '~', '*', '__', '-_'].map((end): [string, string[]] => [`${U}${end}`, [`${U}${end}`]]),
  [`_${U}_ and _${U}__`, [U, `${U}_`]],
  [`**${U}**. *${U}*, ~~${U}~~ --${U}-- -${U}-`, [U, U, U, U, U]],
  [`**_${U}_**`, [U]],
  [`*Verify: ${U}*`, [U]],
  [`*Verify* ${U}*`, [`${U}*`]],
  [`_Verify here: ${U}_`, [U]],
  [`snake_case: ${U}_`, [`${U}_`]],
  // Particles continue the sentence, while a path segment may start with another word.
  ['https://a.test/confirm/MQ/을 누르세요', ['https://a.test/confirm/MQ/']],
  ['https://a.test/c?t=ab-로 이동', ['https://a.test/c?t=ab-']],
  ['https://a.test/verify/をクリックしてください', ['https://a.test/verify/']],
  ['https://a.test/wiki/日本 https://a.test/위키', ['https://a.test/wiki/日本', 'https://a.test/위키']],
  [`- ${U}-`, [`${U}-`]],
  [`* ${U}*`, [`${U}*`]],
  // Brackets, quotes and punctuation in other scripts.
  ...[
    '（）',
    '「」',
    '『』',
    '【】',
    '〈〉',
    '《》',
    '〔〕',
    '［］',
    '｛｝',
    '＜＞',
    '«»',
    '“”',
    '‘’',
    '‹›',
    '„“',
    '⟨⟩',
    '""',
    '{}',
    '<>',
    '[]',
    '()',
  ].map((pair): [string, string[]] => [`x${pair[0]}${U}${pair[1]}y`, [U]]),
  ...[
    '。',
    '、',
    '，',
    '．',
    '；',
    '：',
    '！',
    '？',
    '・',
    '…',
    '‥',
    '—',
    '–',
    '、',
    '｡',
    '،',
    '؛',
    '؟',
    '।',
    '\u00a0',
    '\u200b',
    '\u3000',
    '|',
    '`',
  ].map((sign): [string, string[]] => [`${U}${sign}next`, [U]]),
  ...['.', ',', ';', ':', '!', '?', "'", ').', '...', ']'].map((sign): [string, string[]] => [
    `${U}${sign}`,
    [U],
  ]),
  // Sentences that continue without a space.
  ...['をクリック', 'からどうぞ', '完成验证', '에서 확인', 'เพื่อ'].map((more): [string, string[]] => [
    `${U}${more}`,
    [U],
  ]),
  ['https://app.exampleをクリック', ['https://app.example']],
  // Hosts and paths in other scripts.
  ['https://日本語.jp/確認?コード=1', ['https://日本語.jp/確認?コード=1']],
  ['https://eメール.example/x', ['https://eメール.example/x']],
  ['https://münchen.test/straße', ['https://münchen.test/straße']],
  ['https://пример.рф/путь', ['https://пример.рф/путь']],
  ['http://[2001:db8::1]:8080/x and (http://[::1]/)', ['http://[2001:db8::1]:8080/x', 'http://[::1]/']],
  ['http://u:p@a.test:3000/#/v?t=1&u=2', ['http://u:p@a.test:3000/#/v?t=1&u=2']],
  // Brackets within a URL, and brackets around it.
  ['(https://a.test/(x))), https://a.test/y)', ['https://a.test/(x)', 'https://a.test/y']],
  ['https://a.test/?a[]=1&b[c]=2', ['https://a.test/?a[]=1&b[c]=2']],
  ['[Verify](https://a.test/x)', ['https://a.test/x']],
  ['[https://a.test/x](https://a.test/y)', ['https://a.test/x', 'https://a.test/y']],
  ['[1]: https://a.test/x', ['https://a.test/x']],
  ['https://a.test/x[1]', ['https://a.test/x[1]']],
  [
    'https://a.test/1,https://a.test/2;http://b.test',
    ['https://a.test/1', 'https://a.test/2', 'http://b.test'],
  ],
  ['https://a.test/to?u=http://b.test/x,y', ['https://a.test/to?u=http://b.test/x,y']],
  // Lines joined in angle brackets (RFC 3986 appendix C).
  ['<https://a.test/r?t=0123\n456>', ['https://a.test/r?t=0123456']],
  ['<https://a.test/r?t=0123  \r\n   456\r\n789>', ['https://a.test/r?t=0123456789']],
  ['> <https://a.test/r?t=01\n> 23>', ['https://a.test/r?t=0123']],
  ['>> <https://a.test/r?t=01\n> > 23> x', ['https://a.test/r?t=0123']],
  ['<URL:https://a.test/r\n/x>', ['https://a.test/r/x']],
  ['<https://a.test/r?t=0.>', ['https://a.test/r?t=0.']],
  ['<https://a.test/r\nis good, 2 > 1', ['https://a.test/r']],
  ['<https://a.test/r\n\nx>', ['https://a.test/r']],
  ['<https://a.test/r\n> x>', ['https://a.test/r']],
  ['https://a.test/r\nx', ['https://a.test/r']],
];
for (const [text, urls] of cases) {
  test(`the URLs of ${JSON.stringify(text)}`, () => {
    assert.deepEqual(
      urlsInText(text).map(({ url }) => url),
      urls,
    );
  });
}
