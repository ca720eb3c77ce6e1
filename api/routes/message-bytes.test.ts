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
  ['..', 'attachment-3.pdf'],
  ['/', 'attachment-3.pdf'],
  ['  ', 'attachment-3.pdf'],
  ['', 'attachment-3.pdf'],
  [null, 'attachment-3.pdf'],
];

for (const [filename, expected] of cases) {
  test(`${JSON.stringify(filename)?.slice(0, 40)} is saved as ${expected.slice(0, 40)}`, () =>
    assert.equal(attachmentName({ filename, id: 3, contentType: 'application/pdf' }), expected));
}

const types: [contentType: string, name: string][] = [
  ['text/plain', 'attachment-3.txt'],
  ['text/html', 'attachment-3.html'],
  ['text/calendar', 'attachment-3.ics'],
  ['text/x-log', 'attachment-3.txt'],
  ['message/rfc822', 'attachment-3.eml'],
  ['message/delivery-status', 'attachment-3.txt'],
  ['image/png', 'attachment-3.png'],
  ['application/octet-stream', 'attachment-3.bin'],
  ['application/x-of-our-own', 'attachment-3.bin'],
  ['constructor', 'attachment-3.bin'],
];

for (const [contentType, expected] of types) {
  test(`${contentType} without a name is saved as ${expected}`, () =>
    assert.equal(attachmentName({ filename: null, id: 3, contentType }), expected));
}
