import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DotReader } from './input-stream.ts';

/** Reads `wire` in chunks that end at `cuts`. Returns the content, and the bytes after its end (null if no end was found). */
function read(wire: string, ...cuts: number[]): [content: string, after: string | null] {
  const reader = new DotReader();
  const bytes = Buffer.from(wire, 'latin1');
  const content: Buffer[] = [];
  let from = 0;
  for (const to of [...cuts, bytes.length]) {
    const chunk = Buffer.from(bytes.subarray(from, to));
    const piece = reader.read(chunk);
    content.push(Buffer.from(piece.content));
    if (piece.end !== null) {
      const after = Buffer.concat([chunk.subarray(piece.end), bytes.subarray(to)]);
      return [Buffer.concat(content).toString('latin1'), after.toString('latin1')];
    }
    from = to;
  }
  return [Buffer.concat(content).toString('latin1'), null];
}

const cases: [wire: string, content: string, after: string | null][] = [
  ['.\r\n', '', ''],
  ['\r\n.\r\n', '\r\n', ''],
  ['a\r\n.\r\nQUIT\r\n', 'a\r\n', 'QUIT\r\n'],
  ['..\r\n.\r\n', '.\r\n', ''],
  ['..\r\n..\r\n...\r\n.\r\n', '.\r\n.\r\n..\r\n', ''],
  ['.a\r\nb.\r\n.\r\n', 'a\r\nb.\r\n', ''],
  ['a\n.\nb\r\n.\r\n', 'a\n.\nb\r\n', ''],
  ['a\n..b\r\n.\r\n', 'a\n..b\r\n', ''],
  ['a\r.\r\nb\r\n.\r\n', 'a\r.\r\nb\r\n', ''],
  ['a\n.\r\nb\r\n.\r\n', 'a\n.\r\nb\r\n', ''],
  ['a\r\n.\nb\r\n.\r\n', 'a\r\n\nb\r\n', ''],
  ['a\r\n.\rb\r\n.\r\n', 'a\r\n\rb\r\n', ''],
  ['a\r\n.\r\r\nb\r\n.\r\n', 'a\r\n\r\r\nb\r\n', ''],
  ['a\r\r\n.\r\nb', 'a\r\r\n', 'b'],
  ['a\r\n.\r.\r\nb\r\n.\r\n', 'a\r\n\r.\r\nb\r\n', ''],
  ['a\r\n\0.\r\nb\r\n.\0\r\n.\r\n', 'a\r\n\0.\r\nb\r\n\0\r\n', ''],
  ['a\r\n.', 'a\r\n', null],
  ['a\r\n.\r', 'a\r\n', null],
  ['a\r', 'a\r', null],
];

test('content and end do not depend on where chunks are cut', () => {
  for (const [wire, content, after] of cases) {
    const name = JSON.stringify(wire);
    assert.deepEqual(read(wire), [content, after], name);
    for (let first = 0; first <= wire.length; first++) {
      for (let second = first; second <= wire.length; second++) {
        assert.deepEqual(
          read(wire, first, second),
          [content, after],
          `${name} cut at ${first} and ${second}`,
        );
      }
    }
    const bytewise = Array.from(wire, (_, index) => index);
    assert.deepEqual(read(wire, ...bytewise), [content, after], `${name} byte by byte`);
  }
});
