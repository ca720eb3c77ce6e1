import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attachmentName } from './message-bytes.ts';

const cases: [string | null, string][] = [
  ['invoice.pdf', 'invoice.pdf'],
  ['Größe 日本.pdf', 'Größe 日本.pdf'],
  ['a"b.txt', 'a"b.txt'],
  ['../../etc/passwd', 'passwd'],
  ['..\\..\\boot.ini', 'boot.ini'],
  ['C:\\x\\y.txt', 'y.txt'],
  ['a\r\nSet-Cookie: x=1.txt', 'aSet-Cookie: x=1.txt'],
  ['a\0b.txt', 'ab.txt'],
  ['annexe\u202egpj.exe', 'annexegpj.exe'],
  ['\ud800.txt', '\ufffd.txt'],
  ['x'.repeat(300), 'x'.repeat(200)],
  ['..', 'attachment-3'],
  ['/', 'attachment-3'],
  ['  ', 'attachment-3'],
  ['', 'attachment-3'],
  [null, 'attachment-3'],
];

for (const [filename, expected] of cases) {
  test(`${JSON.stringify(filename)?.slice(0, 40)} is saved as ${expected.slice(0, 40)}`, () =>
    assert.equal(attachmentName(filename, 3), expected));
}
