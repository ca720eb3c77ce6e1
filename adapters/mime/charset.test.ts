import assert from 'node:assert/strict';
import { test } from 'node:test';
import { charsetOf, decodeOctets, decoderOf, encodingOf } from './charset.ts';

/** Octets that other implementations produce for each encoding. */
const declared: [label: string, hex: string, text: string][] = [
  ['ks_c_5601-1987', '94ee208c63b9e6b0a2c7cf', '뷁 똠방각하'],
  ['cp949', '94ee208c63b9e6b0a2c7cf', '뷁 똠방각하'],
  ['x-windows-949', '94ee208c63b9e6b0a2c7cf', '뷁 똠방각하'],
  ['euc-kr', '94ee208c63b9e6b0a2c7cf', '뷁 똠방각하'],
  ['KS_C_5601-1989', '94ee208c63b9e6b0a2c7cf', '뷁 똠방각하'],
  ['ms949', '94ee208c63b9e6b0a2c7cf', '뷁 똠방각하'],
  ['big5', '9dee20a741a66e', '㗎 你好'],
  ['big5-hkscs', '9dee20a741a66e', '㗎 你好'],
  ['cp950', '9dee20a741a66e', '㗎 你好'],
  ['gb2312', 'e94620d1e9d6a4c2eb', '镕 验证码'],
  ['gbk', 'e94620d1e9d6a4c2eb', '镕 验证码'],
  ['cp936', 'e94620d1e9d6a4c2eb', '镕 验证码'],
  ['x-gbk', 'e94620d1e9d6a4c2eb', '镕 验证码'],
  ['euc-cn', 'e94620d1e9d6a4c2eb', '镕 验证码'],
  ['gb18030', '8139ee3920d1e9d6a4c2eb', '㐀 验证码'],
  ['shift_jis', '874020eee08bb4', '① 髙橋'],
  ['shift-jis', '874020eee08bb4', '① 髙橋'],
  ['x-sjis', '874020eee08bb4', '① 髙橋'],
  ['cp932', '874020eee08bb4', '① 髙橋'],
  ['windows-31j', '874020eee08bb4', '① 髙橋'],
  ['MS_Kanji', '874020eee08bb4', '① 髙橋'],
  ['euc-jp', 'c7a7bedaa5b3a1bca5c9', '認証コード'],
  ['x-euc-jp', 'c7a7bedaa5b3a1bca5c9', '認証コード'],
  ['eucJP', 'c7a7bedaa5b3a1bca5c9', '認証コード'],
  ['iso-2022-jp', '1b244247273e5a1b2842204f4b', '認証 OK'],
  ['iso-2022-jp', '1b244247271b28421b24423e5a1b2842204f4b1b2842', '認証 OK'],
  ['csISO2022JP', '1b244247273e5a1b2842204f4b', '認証 OK'],
  ['ISO-2022-JP-MS', '1b244247273e5a1b2842204f4b', '認証 OK'],
  ['jis', '1b244247273e5a1b2842204f4b', '認証 OK'],
  ['iso-2022-kr', '1b2429430e445a35650f20343832390a0e3e4833670f', '코드 4829\n안녕'],
  ['csISO2022KR', '0e445a35650a78', '코드\nx'],
  ['hz-gb-2312', '7e7b51695624426b7e7d203438320a7e7e207e7b4a477e7d7e7e7b78', '验证码 482\n~ 是~{x'],
  ['HZ', '7e7b51690a787e0a79', '验\nxy'],
  ['koi8-r', 'f7c1db20cbcfc4', 'Ваш код'],
  ['KOI8', 'f7c1db20cbcfc4', 'Ваш код'],
  ['windows-1251', 'c2e0f820eaeee4', 'Ваш код'],
  ['cp1251', 'c2e0f820eaeee4', 'Ваш код'],
  ['win-1251', 'c2e0f820eaeee4', 'Ваш код'],
  ['x-cp1251', 'c2e0f820eaeee4', 'Ваш код'],
  ['cp-1251', 'c2e0f820eaeee4', 'Ваш код'],
  ['iso-8859-1', '636166e9', 'café'],
  ['latin1', '636166e9', 'café'],
  ['iso8859-1', '636166e9', 'café'],
  ['latin-1', '636166e993', 'café“'],
  ['windows-1252', '636166e9', 'café'],
  ['cp1252', '636166e9', 'café'],
  ['iso-8859-15', 'a420bd', '€ œ'],
  ['latin9', 'a420bd', '€ œ'],
  ['iso8859_15', 'a420bd', '€ œ'],
  ['iso-8859-8-i', 'f7e5e3', 'קוד'],
  ['iso-8859-8', 'f7e5e3', 'קוד'],
  ['iso-8859-8-e', 'f7e5e3', 'קוד'],
  ['windows-1256', 'd1e3d2', 'رمز'],
  ['cp1256', 'd1e3d2', 'رمز'],
  ['tis-620', 'c3cbd1ca', 'รหัส'],
  ['windows-874', 'c3cbd1ca', 'รหัส'],
  ['cp437', '8220ab', 'é ½'],
  ['ibm850', 'c6', 'ã'],
  ['macintosh', '8ea0', 'é†'],
  ['utf-8', '4772c3b6c39f6520e697a5e69cac', 'Größe 日本'],
  ['utf8', '4772c3b6c39f6520e697a5e69cac', 'Größe 日本'],
  ['UTF_8', '4772c3b6c39f6520e697a5e69cac', 'Größe 日本'],
  ['"utf-8;"', '4772c3b6c39f6520e697a5e69cac', 'Größe 日本'],
  ['utf8mb4', '4772c3b6c39f6520e697a5e69cac', 'Größe 日本'],
  [' utf-8 (Unicode)', '4772c3b6c39f6520e697a5e69cac', 'Größe 日本'],
  ["'utf-8'", '4772c3b6c39f6520e697a5e69cac', 'Größe 日本'],
  ['unicode-1-1-utf-8', '4772c3b6c39f6520e697a5e69cac', 'Größe 日本'],
  ['utf-7', '47722b4150594133772d65202b5a65566e4c412d', 'Größe 日本'],
  ['unicode-1-1-utf-7', '47722b4150594133772d65202b5a65566e4c412d', 'Größe 日本'],
  ['utf-7', Buffer.from('1 +- 1 + 2 +2D3cqQ- +AKM-1.').toString('hex'), '1 + 1 + 2 💩 £1.'],
  // Lone surrogate, and octets above 127.
  ['utf-7', Buffer.from('+2D0-x\xe9', 'latin1').toString('hex'), '\ufffdx\ufffd'],
  ['utf-16', '3dd86100', '\ufffda'],
  ['utf-16le', '680069002000e5652c67', 'hi 日本'],
  ['utf-16', '680069002000e5652c67', 'hi 日本'],
  ['ucs-2', '680069002000e5652c67', 'hi 日本'],
  ['utf-16be', '00680069002065e5672c', 'hi 日本'],
  ['utf-32le', '680000006900000020000000e56500002c670000', 'hi 日本'],
  ['utf-32', 'fffe0000680000006900000020000000e56500002c670000', 'hi 日本'],
];

for (const [label, hex, text] of declared) {
  test(`${label} is decoded`, () => {
    const octets = Buffer.from(hex, 'hex');
    const { encoding, fault } = charsetOf(octets, label, false);
    assert.equal(decodeOctets(octets, encoding).replace('\ufeff', ''), text);
    assert.equal(fault, null);
  });

  test(`${label} is decoded octet by octet`, () => {
    const decoder = decoderOf(charsetOf(Buffer.from(hex, 'hex'), label, false).encoding);
    const pieces = Array.from(Buffer.from(hex, 'hex'), (octet) =>
      decoder.decode(Uint8Array.of(octet), { stream: true }),
    );
    assert.equal((pieces.join('') + decoder.decode()).replace('\ufeff', ''), text);
  });
}

const noNames = [
  'x-user-defined',
  'iso-8859-12',
  'unknown-8bit',
  'ansi_x3.110-1983',
  'default_charset',
  'binary',
  'base64',
  'hex',
  'replacement',
  'x-no-such',
  '__proto__',
  'constructor',
  '\0',
  'x'.repeat(100_000),
];

for (const label of noNames) {
  test(`${JSON.stringify(label.slice(0, 20))} names no encoding`, () =>
    assert.equal(encodingOf(label), null));
}

const meta = (charset: string) => `<meta charset="${charset}">`;
const pragma = '<meta http-equiv=Content-Type content="text/html; charset=windows-1251">';
const orders: [
  what: string,
  octets: string,
  label: string | null,
  isHtml: boolean,
  encoding: string,
  fault: string | null,
][] = [
  ['a mark before a parameter', '\xef\xbb\xbfa', 'iso-8859-1', false, 'utf-8', null],
  ['a mark of UTF-16', '\xff\xfea\0', 'utf-8', false, 'utf-16le', null],
  ['a mark of UTF-16 in the other order', '\xfe\xff\0a', null, false, 'utf-16be', null],
  ['a mark of UTF-32', '\xff\xfe\0\0a\0\0\0', 'utf-16', false, 'utf-32le', null],
  ['a parameter before meta', meta('windows-1251'), 'utf-8', true, 'utf-8', null],
  ['meta before UTF-8', `${meta('windows-1251')}\xc3\xa9`, null, true, 'windows-1251', null],
  ['a pragma', `<html>${pragma}\xc2`, null, true, 'windows-1251', null],
  ['meta beside ASCII', meta('koi8-r'), 'us-ascii', true, 'koi8-r', null],
  ['meta beside an unknown name', meta('koi8-r'), 'x-no-such', true, 'koi8-r', 'unknown-charset'],
  ['meta in a text', meta('koi8-r'), null, false, 'utf-8', null],
  ['meta in a comment', `<!--${meta('koi8-r')}-->`, null, true, 'utf-8', null],
  ['meta behind 1,024 octets', `${' '.repeat(1024)}${meta('koi8-r')}`, null, true, 'utf-8', null],
  ['an unknown name in meta', `${meta('x-no-such')}\xe9`, null, true, 'windows-1252', 'undeclared-charset'],
  ['UTF-8 that is not declared', '\xc3\xa9', null, false, 'utf-8', null],
  ['octets that are no UTF-8', '\xe9', null, false, 'windows-1252', 'undeclared-charset'],
  ['octets above 127 in ASCII', '\xe9', 'US-ASCII', false, 'windows-1252', 'undeclared-charset'],
  ['x-user-defined', '\xc3\xa9', 'x-user-defined', false, 'utf-8', 'unknown-charset'],
  ['UTF-8 in ISO-2022-JP', 'caf\xc3\xa9', 'ISO-2022-JP', false, 'utf-8', 'undecodable'],
  ['UTF-8 and an escape sequence', '\x1b(Bcaf\xc3\xa9', 'iso-2022-jp', false, 'iso-2022-jp', null],
  ['octets above 127 in ISO-2022-JP', 'caf\xe9', 'iso-2022-jp', false, 'iso-2022-jp', null],
  ['an unknown name', '\xe9', 'x-no-such', false, 'windows-1252', 'unknown-charset'],
];

for (const [what, octets, label, isHtml, encoding, fault] of orders) {
  test(`the encoding of ${what} is ${encoding}`, () =>
    assert.deepEqual(charsetOf(Buffer.from(octets, 'latin1'), label, isHtml), { encoding, fault }));
}
