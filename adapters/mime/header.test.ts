import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import { MimeHeader, type MimeType, readMimeType } from './header.ts';

/** Header of these lines, read completely. */
function read(lines: (string | Buffer)[], maxOctets = 1_000_000): MimeHeader {
  const header = new MimeHeader(maxOctets);
  for (const line of lines) {
    const bytes = Buffer.from(line);
    header.line(
      bytes,
      0,
      bytes.length,
      false,
      bytes.some((byte) => byte > 127),
    );
  }
  return header;
}
const fieldsOf = (header: MimeHeader) => header.fields().map(({ name, value }) => [name, value]);

test('fields keep their spelling, and are unfolded', () => {
  const header = read(['From: a@b ', 'SUBJECT : one', ' two\t', '\tthree', 'Empty:', 'X:y:z']);
  assert.deepEqual(fieldsOf(header), [
    ['From', 'a@b'],
    ['SUBJECT', 'one two three'],
    ['Empty', ''],
    ['X', 'y:z'],
  ]);
  assert.deepEqual([header.limit, header.eightBit], [null, false]);
});

test('a line that is no field is passed over with what continues it', () => {
  const lines = [' folded first', 'From mbox', ' more', 'To: x', 'no colon', ' more', ': no name', 'a b: c'];
  assert.deepEqual(fieldsOf(read([...lines, `X-${'n'.repeat(199)}: long`, `X-${'n'.repeat(198)}: fits`])), [
    ['To', 'x'],
    [`X-${'n'.repeat(198)}`, 'fits'],
  ]);
});

test('a byte order mark is no part of the first name', () => {
  assert.deepEqual(fieldsOf(read(['\ufeffFrom: a', 'To: b'])), [
    ['From', 'a'],
    ['To', 'b'],
  ]);
});

test('a line that is no field reaches no limit', () => assert.equal(read(['no colon']).limit, null));

test('octets above 127 are UTF-8, or windows-1252', () => {
  const header = read(['A: grüße', Buffer.from('B: gr\xfc\xdfe \x80', 'latin1'), 'C: d']);
  assert.deepEqual(fieldsOf(header), [
    ['A', 'grüße'],
    ['B', 'grüße €'],
    ['C', 'd'],
  ]);
  assert.equal(header.eightBit, true);
  assert.deepEqual(fieldsOf(read(['A: b', ' grüße'])), [['A', 'b grüße']]);
});

test('UTF-8 may be cut within a character', () => {
  const cut = (text: string) => Buffer.from(text).subarray(0, -1);
  const lines = [cut('A: grüß'), Buffer.concat([cut('B: "Grüße, 漢字'), Buffer.from('"')]), 'C: d'];
  assert.deepEqual(fieldsOf(read(lines)), [
    ['A', 'grü\ufffd'],
    ['B', '"Grüße, 漢\ufffd"'],
    ['C', 'd'],
  ]);
});

test('a line may come in pieces', () => {
  const header = new MimeHeader(1000);
  const bytes = Buffer.from('xSubject: on e');
  header.line(bytes, 1, 12, false, false);
  header.line(bytes, 12, 14, true, false);
  assert.deepEqual(fieldsOf(header), [['Subject', 'on e']]);
});

test('a field, its lines together, is cut where it is too long, and takes nothing from the next', () => {
  const most = limits.mail.headerFieldBytes;
  const whole = read([`A:${'x'.repeat(most - 2)}`, 'B:y'], 2 * most);
  assert.deepEqual([whole.limit, whole.fields()[0]?.value.length], [null, most - 2]);
  const cut = read([`A:${'x'.repeat(most - 10)}`, ` ${'x'.repeat(most)}`, ' x', 'B:y'], 2 * most);
  assert.equal(cut.limit, 'mail.headerFieldBytes');
  assert.deepEqual(
    cut.fields().map(({ value }) => value.length),
    [most - 2, 1],
  );
});

test('a header is cut where all of it is too long', () => {
  const exact = read(['A:1234', 'B:1234'], 12);
  assert.deepEqual([exact.limit, fieldsOf(exact).length], [null, 2]);
  const cut = read(['A:1234', 'B:1234', 'C:1'], 11);
  assert.equal(cut.limit, 'mail.headerBytes');
  assert.deepEqual(fieldsOf(cut), [
    ['A', '1234'],
    ['B', '123'],
  ]);
});

test('a header section has a largest number of fields', () => {
  const most = limits.answers.headerFields;
  const line = (_: unknown, i: number) => `F${i}: x`;
  assert.equal(read(Array.from({ length: most }, line)).limit, null);
  const cut = read([...Array.from({ length: most + 1 }, line), ' continued']);
  assert.deepEqual([cut.limit, cut.fields().length], ['answers.headerFields', most]);
  assert.equal(cut.fields().at(-1)?.value, 'x');
});

const field = (line: string) => {
  const colon = line.indexOf(':');
  return { name: line.slice(0, colon), value: line.slice(colon + 1) };
};
const typeOf = (...lines: string[]) => readMimeType(lines.map(field), 'text/plain');

const cases: [line: string, part: keyof MimeType, wanted: unknown][] = [
  ['Content-Type: text/html charset=koi8-r', 'contentType', 'text/html'],
  ['Content-Type: text/html charset=koi8-r', 'charset', 'koi8-r'],
  ['Content-Type: text/html, charset=koi8-r', 'contentType', 'text/html'],
  ['Content-Type: multipart/mixed boundary="b"', 'boundary', 'b'],
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
  ['Content-Disposition: inline filename=a.txt', 'disposition', 'inline'],
  ['Content-Disposition: filename="a.txt"', 'disposition', 'attachment'],
  ['Content-Disposition: =?utf-8?Q?invalid?=', 'disposition', null],
  ['Content-Disposition: ', 'disposition', null],
  ['Content-Type: multipart/*; boundary=b', 'contentType', 'multipart/mixed'],
  ['Content-Type: multipart; boundary=b', 'contentType', 'multipart/mixed'],
  ['Content-Type: multipart/*', 'contentType', 'text/plain'],
  ['Content-Disposition: attachment; filename="a.txt"', 'filename', 'a.txt'],
  ['Content-Disposition: filename="a.txt"', 'filename', 'a.txt'],
  ['Content-Disposition: attachment; filename="=?utf-8?q?gr=C3=BC=C3=9Fe?="', 'filename', 'grüße'],
  ["Content-Disposition: attachment; filename*=utf-8''gr%C3%BC%C3%9Fe", 'filename', 'grüße'],
  ['Content-Disposition: attachment; filename=" a\u0001\u0002b\u0000"', 'filename', 'a b'],
  ['Content-Disposition: attachment; filename=" "', 'filename', null],
  ['Content-Disposition: attachment; filename=my file (1).pdf; size=3', 'filename', 'my file (1).pdf'],
  ['Content-Disposition: attachment; filename=a.pdf (a comment)', 'filename', 'a.pdf'],
  [`Content-Disposition: attachment; filename=${'x'.repeat(300)}`, 'filename', 'x'.repeat(255)],
  ['Content-Type: image/png; name=b.png', 'filename', 'b.png'],
  ['Content-ID: <a@b> ', 'contentId', 'a@b'],
  ['Content-ID:  <a<>b@c>', 'contentId', 'a<>b@c'],
  ['Content-ID: a@b', 'contentId', 'a@b'],
  ['Content-ID: <>', 'contentId', null],
  ['Message-ID: <a@b>', 'contentId', null],
];
for (const [line, part, wanted] of cases) {
  test(`${part} of ${line.slice(0, 70)}`, () => assert.equal(typeOf(line)[part], wanted));
}

test('the first field of a name counts, and its first 16 KiB', () => {
  assert.equal(typeOf('Content-Type: text/html', 'Content-Type: text/css').contentType, 'text/html');
  assert.equal(typeOf(`Content-Type: text/html;${' '.repeat(16_384)}charset=utf-8`).charset, null);
  assert.equal(typeOf(`Content-ID: <${'x'.repeat(300)}>`).contentId, 'x'.repeat(253));
  assert.equal(typeOf('Content-ID: <a>', 'Content-Foo: b').contentId, 'a');
});

test('a part without fields has the default type of its parent', () => {
  assert.deepEqual(readMimeType([], 'message/rfc822'), {
    contentType: 'message/rfc822',
    charset: null,
    flowed: false,
    delSp: false,
    boundary: null,
    encoding: 'identity',
    unknownEncoding: null,
    disposition: null,
    filename: null,
    contentId: null,
  });
});
