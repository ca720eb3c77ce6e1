import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type MimeType, readMimeType } from './type.ts';

const field = (line: string) => {
  const colon = line.indexOf(':');
  return { name: line.slice(0, colon), value: line.slice(colon + 1) };
};
const read = (...lines: string[]) => readMimeType(lines.map(field), 'text/plain');

const cases: [line: string, part: keyof MimeType, wanted: unknown][] = [
  ['Content-Type: Text/HTML ', 'contentType', 'text/html'],
  ['CONTENT-TYPE:text/html; charset=utf-8', 'contentType', 'text/html'],
  ['Content-Type: text/html; charset=utf-8', 'charset', 'utf-8'],
  ['Content-Type: text/html (a comment)', 'contentType', 'text/html'],
  ['Content-Type: html', 'contentType', 'text/plain'],
  ['Content-Type: (text/html', 'contentType', 'text/plain'],
  ['Content-Type: x text/html', 'contentType', 'text/plain'],
  ['Content-Type: text/html x', 'contentType', 'text/plain'],
  ['Other-Fields: text/html', 'contentType', 'text/plain'],
  ['Content-Type: text/plain; format=Flowed; delsp=YES', 'flowed', true],
  ['Content-Type: text/plain; format=Flowed; delsp=YES', 'delSp', true],
  ['Content-Type: text/plain; format=fixed', 'flowed', false],
  ['Content-Type: text/plain', 'delSp', false],
  ['Content-Type: multipart/mixed; boundary="a b"', 'boundary', 'a b'],
  ['Content-Type: multipart/mixed; boundary=""', 'boundary', null],
  ['Content-Transfer-Encoding: BASE64 ', 'encoding', 'base64'],
  ['Content-Transfer-Encoding: (as it is) quoted-printable', 'encoding', 'quoted-printable'],
  ['Content-Transfer-Encoding: 8bit', 'encoding', 'identity'],
  ['Content-Disposition: INLINE', 'disposition', 'inline'],
  ['Content-Disposition: inline; filename=a.txt', 'disposition', 'inline'],
  ['Content-Disposition: form-data', 'disposition', 'attachment'],
  ['Content-Disposition: ', 'disposition', null],
  ['Content-Disposition: attachment; filename="a.txt"', 'filename', 'a.txt'],
  ['Content-Disposition: attachment; filename="=?utf-8?q?gr=C3=BC=C3=9Fe?="', 'filename', 'grüße'],
  ["Content-Disposition: attachment; filename*=utf-8''gr%C3%BC%C3%9Fe", 'filename', 'grüße'],
  ['Content-Disposition: attachment; filename=" a\u0001\u0002b\u0000"', 'filename', 'a b'],
  ['Content-Disposition: attachment; filename=" "', 'filename', null],
  [`Content-Disposition: attachment; filename=${'x'.repeat(300)}`, 'filename', 'x'.repeat(255)],
  ['Content-Type: image/png; name=b.png', 'filename', 'b.png'],
  ['Content-ID: <a@b> ', 'contentId', 'a@b'],
  ['Content-ID:  <a<>b@c>', 'contentId', 'a<>b@c'],
  ['Content-ID: a@b', 'contentId', 'a@b'],
  ['Content-ID: <>', 'contentId', null],
  ['Message-ID: <a@b>', 'contentId', null],
];
for (const [line, part, wanted] of cases) {
  test(`${part} of ${line.slice(0, 70)}`, () => assert.equal(read(line)[part], wanted));
}

test('the first field of a name counts, and its first 16 KiB', () => {
  assert.equal(read('Content-Type: text/html', 'Content-Type: text/css').contentType, 'text/html');
  assert.equal(read(`Content-Type: text/html;${' '.repeat(16_384)}charset=utf-8`).charset, null);
  assert.equal(read(`Content-ID: <${'x'.repeat(300)}>`).contentId, 'x'.repeat(253));
  assert.equal(read('Content-ID: <a>', 'Content-Foo: b').contentId, 'a');
});

test('a part without fields has the default type of its parent', () => {
  assert.deepEqual(readMimeType([], 'message/rfc822'), {
    contentType: 'message/rfc822',
    charset: null,
    flowed: false,
    delSp: false,
    boundary: null,
    encoding: 'identity',
    disposition: null,
    filename: null,
    contentId: null,
  });
});
