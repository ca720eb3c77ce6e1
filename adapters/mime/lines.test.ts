import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MimeLines } from './lines.ts';

type Read = { lines: string[]; eightBit: boolean[]; bareCr: number; bareLf: number; longestLine: number };

/** Reads a text in pieces of `size` octets. Joins the pieces of overlong lines, and keeps line endings. */
function read(text: string, size: number): Read {
  const found: Pick<Read, 'lines' | 'eightBit'> = { lines: [], eightBit: [] };
  const reader = new MimeLines({
    line(buffer, start, end, next, continued, eightBit) {
      const line = buffer.toString('latin1', start, next);
      assert.ok(next >= end);
      const at = continued ? found.lines.length - 1 : found.lines.length;
      found.lines[at] = (found.lines[at] ?? '') + line;
      found.eightBit[at] = (found.eightBit[at] ?? false) || eightBit;
    },
    leave() {},
  });
  const bytes = Buffer.from(text, 'latin1');
  for (let at = 0; at < bytes.length; at += size) reader.write(bytes.subarray(at, at + size));
  reader.end();
  const { bareCr, bareLf, longestLine } = reader;
  return { ...found, bareCr, bareLf, longestLine };
}

/** Reads a text by regular expressions: a line ends with CRLF or LF, or with CR if a header section's lines do. */
function expected(text: string): Read {
  const isCr = text.startsWith('A: ');
  const lines = text.split(isCr ? /(?<=\n|\r(?!\n))/ : /(?<=\n)/);
  const contents = lines.map((line) => line.replace(isCr ? /[\r\n]+$/ : /\r?\n$/, ''));
  return {
    lines: lines.filter((line) => line !== ''),
    eightBit: lines.filter((line) => line !== '').map((line) => /[\x80-\xff]/.test(line)),
    bareCr: text.match(/\r(?!\n)/g)?.length ?? 0,
    bareLf: text.match(/(?<!\r)\n/g)?.length ?? 0,
    longestLine: Math.max(0, ...contents.map(({ length }) => length)),
  };
}

const long = 'x'.repeat(5000);
const texts: [name: string, text: string][] = [
  ['nothing', ''],
  ['lines', 'one\r\ntwo\nthree\r\n\r\n\n'],
  ['a last line without an ending', 'one\r\ntwo'],
  ['carriage returns in a line', 'a\rb\r\rc\r\n\rd\n\r'],
  ['carriage returns alone', '\r\r\r'],
  ['octets above 127', 'a\r\nb\x80\r\nc\x7f\r\n\xffd'],
  ['octets of 127 at the end', 'a\x7f'],
  ['lines that end with CR', 'A: b\r c\rD: e\r\rx\ry\r\nz'],
  ['a long header section that ends with CR', `A: b\rC: d\r${long}\r${long}\r\r${long}\r\rx`],
  ['a long line', `${long}\r\nshort\r\n`],
  ['a long line with carriage returns', `${long}\r${long}\r\r\n${long}\r`],
  ['a long line with octets above 127', `${long}\xe9${long}\r\nshort\r\n`],
  ['a long line without an ending', `short\n${long}${long}\xe9`],
];

for (const [name, text] of texts) {
  test(`splits ${name} alike, however it is cut`, () => {
    for (const size of [1, 2, 3, 700, 4999, 5000, 5001, 50_000])
      assert.deepEqual(read(text, size), expected(text), `pieces of ${size}`);
  });
}
