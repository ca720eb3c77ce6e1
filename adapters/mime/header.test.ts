import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import { MimeHeader } from './header.ts';

/** A header of these lines, read whole. */
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
  assert.deepEqual(fieldsOf(read([...lines, `${'n'.repeat(201)}: long`, `${'n'.repeat(200)}: fits`])), [
    ['To', 'x'],
    ['n'.repeat(200), 'fits'],
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
