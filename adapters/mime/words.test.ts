import assert from 'node:assert/strict';
import { test } from 'node:test';
import { decodeWords, readParameters } from './words.ts';

const words: [what: string, value: string, text: string][] = [
  ['ks_c_5601-1987', '=?ks_c_5601-1987?B?lO4gjGO55rCix88=?=', '뷁 똠방각하'],
  ['Big5 with HKSCS', '=?big5?B?ne4=?=', '㗎'],
  ['ISO-2022-JP', '=?iso-2022-jp?B?GyRCRyc+WiUzITwlSRsoQg==?=', '認証コード'],
  [
    'a character cut between base64 words',
    '=?ks_c_5601-1987?B?wM7B?= =?KS_C_5601-1987?B?9bn4yKM=?=',
    '인증번호',
  ],
  [
    'a character cut between quoted words',
    '=?utf-8?Q?=47=72=C3?= =?utf-8?Q?=B6=C3=9F=65=20=E6=97=A5=E6=9C=AC?=',
    'Größe 日本',
  ],
  [
    'a character cut between words of both encodings',
    '=?utf-8?B?R3LD?=\r\n =?utf-8?Q?=B6=C3=9F=65=20=E6=97=A5=E6=9C=AC?=',
    'Größe 日本',
  ],
  ['base64 cut within a group of four', '=?utf-8?B?R3L?= =?utf-8?B?DtsOfZQ==?=', 'Größe'],
  [
    'a shift that is not closed within its word',
    '=?iso-2022-jp?B?GyRCJDMkbA==?= =?iso-2022-jp?B?JE8bKEIh?=',
    'これは!',
  ],
  [
    'words that each begin and end with a shift',
    '=?iso-2022-jp?B?GyRCPCtGMEdbPy4bKEI=?=\r\n =?iso-2022-jp?B?GyRCJWEhPCVrIUsbKEI=?=',
    '自動配信メール）',
  ],
  ['words of two character sets', '=?utf-8?B?w6k=?= =?iso-8859-1?B?6Q==?=', 'éé'],
  ['blanks between a word and a text', '=?utf-8?Q?a?= b =?utf-8?Q?c?=', 'a b c'],
  ['blanks between words', '=?utf-8?Q?a?=   =?utf-8?Q?b?=', 'ab'],
  ['a blank within a word', '=?utf-8?Q?a b?=', 'a b'],
  ['an underscore', '=?utf-8?Q?a_b=5Fc?=', 'a b_c'],
  ['a question mark within a word', '=?utf-8?Q?Why?_now?=', 'Why? now'],
  ['a language', '=?utf-8*en?Q?a?=', 'a'],
  ['a name with a dot', '=?ansi_x3.4-1968?Q?a=62?=', 'ab'],
  ['an unknown name', '=?x-no-such?Q?caf=C3=A9?=', 'café'],
  ['an unknown name and no UTF-8', '=?x-no-such?Q?caf=E9?=', 'café'],
  ['octets that do not decode', '=?utf-8?Q?caf=E9?=', 'caf\ufffd'],
  ['raw signs in a word', '=?iso-8859-1?Q?Fr\u00f6s=E9?= =?iso-8859-1?Q?=E9?=', 'Fr\u00f6s\u00e9\u00e9'],
  ['an equals sign alone', '=?utf-8?Q?a=b=?=', 'a=b='],
  ['an empty word', '=?utf-8?Q??=x', 'x'],
  ['no end', '=?utf-8?Q?abc', '=?utf-8?Q?abc'],
  ['no end before a whole word', '=?utf-8?Q?abc =?utf-8?Q?d?=', '=?utf-8?Q?abc d'],
  ['another encoding', '=?utf-8?X?abc?=', '=?utf-8?X?abc?='],
  ['no charset', '=??Q?abc?=', '=??Q?abc?='],
];

for (const [what, value, text] of words) {
  test(`decodes ${what}`, () => assert.equal(decodeWords(value), text));
}

const parameters: [value: string, filename: string][] = [
  ["a; filename*=windows-1251''%C4%EE%EA.pdf", 'Док.pdf'],
  ["a; filename*0*=utf-8''%E2%82; filename*1*=%AC.txt", '€.txt'],
  ["a; filename*=ks_c_5601-1987''%94%EE.txt", '뷁.txt'],
  ['a; filename="=?ks_c_5601-1987?B?lO4udHh0?="', '뷁.txt'],
  ["a; filename*=x-no-such''caf%C3%A9.txt", 'café.txt'],
];

for (const [value, filename] of parameters) {
  test(`reads ${filename} of ${value}`, () =>
    assert.equal(readParameters(value).params.get('filename'), filename));
}

test('decodes hostile values in little processor time', () => {
  for (const value of [
    '=?a?q?'.repeat(11_000),
    '=?'.repeat(32_000),
    '=?a?b?'.repeat(11_000).concat('?='),
    '=?a?q?b?='.repeat(7000),
  ]) {
    const start = process.cpuUsage();
    decodeWords(value);
    const { user } = process.cpuUsage(start);
    assert.ok(user < 500_000, `${user} µs for ${value.slice(0, 8)}`);
  }
});
