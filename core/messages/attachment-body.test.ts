import assert from 'node:assert/strict';
import { test } from 'node:test';
import { bodyDecoder, decodeBody } from './attachment-body.ts';
import type { TransferEncoding } from './content.ts';

const cases: { name: string; encoding: TransferEncoding; encoded: string; decoded: string }[] = [
  {
    name: 'base64 in lines',
    encoding: 'base64',
    encoded: 'SGVs\r\nbG8s\r\nIHdvcmxk',
    decoded: 'Hello, world',
  },
  { name: 'base64 with padding', encoding: 'base64', encoded: 'SGVsbG8=', decoded: 'Hello' },
  { name: 'base64 without its padding', encoding: 'base64', encoded: 'SGVsbA', decoded: 'Hell' },
  { name: 'base64 with stray characters', encoding: 'base64', encoded: 'S*G-V_s\0bG8=!', decoded: 'Hello' },
  {
    name: 'base64 of two padded pieces',
    encoding: 'base64',
    encoded: 'SGVsbG8=\r\nSGVsbG8=',
    decoded: 'HelloHello',
  },
  { name: 'base64 with one sextet left over', encoding: 'base64', encoded: 'SGVsbG8hA', decoded: 'Hello!' },
  {
    name: 'quoted-printable octets',
    encoding: 'quoted-printable',
    encoded: 'caf=C3=A9 =3d',
    decoded: 'café =',
  },
  { name: 'soft breaks', encoding: 'quoted-printable', encoded: 'a=\r\nb=\nc= \t\r\nd', decoded: 'abcd' },
  {
    name: 'blanks at a line end',
    encoding: 'quoted-printable',
    encoded: 'a b \t\r\nc \nd  ',
    decoded: 'a b\r\nc\nd',
  },
  {
    name: 'an equals sign that means nothing',
    encoding: 'quoted-printable',
    encoded: '1=2 =XY =4',
    decoded: '1=2 =XY =4',
  },
  { name: 'an equals sign at the end', encoding: 'quoted-printable', encoded: 'abc=', decoded: 'abc' },
  {
    name: 'equals, carriage return, no line feed',
    encoding: 'quoted-printable',
    encoded: 'a=\rb',
    decoded: 'a=\rb',
  },
  { name: 'equals twice', encoding: 'quoted-printable', encoded: 'a==41', decoded: 'a=A' },
  {
    name: 'more blanks than a line may have',
    encoding: 'quoted-printable',
    encoded: `a${' '.repeat(1500)}b`,
    decoded: `a${' '.repeat(1500)}b`,
  },
  { name: 'identity', encoding: 'identity', encoded: 'a=41 \r\n', decoded: 'a=41 \r\n' },
];

for (const { name, encoding, encoded, decoded } of cases) {
  test(`decodes ${name}, however it is cut`, async () => {
    const bytes = Buffer.from(encoded, 'latin1');
    for (const size of [1, 2, 3, 7, 4096]) {
      const pieces = Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
        bytes.subarray(at * size, (at + 1) * size),
      );
      const out: Uint8Array[] = [];
      for await (const piece of decodeBody(toAsync(pieces), encoding)) out.push(piece);
      assert.equal(Buffer.concat(out).toString(), decoded, `pieces of ${size}`);
    }
  });
}

test('decodes 8 MiB of either encoding in linear time', () => {
  for (const encoding of ['base64', 'quoted-printable'] as const) {
    for (const filler of ['A', '=', ' ', '=\r', '= ']) {
      const decoder = bodyDecoder(encoding);
      const started = process.cpuUsage();
      decoder.push(Buffer.alloc(8 * 1024 * 1024, filler));
      decoder.end();
      assert.ok(process.cpuUsage(started).user < 1_500_000, `${encoding} of ${JSON.stringify(filler)}`);
    }
  }
});

async function* toAsync(pieces: Uint8Array[]): AsyncIterable<Uint8Array> {
  yield* pieces;
}

const blanks = (count: number) => ' '.repeat(count);
const quotedPrintable: [encoded: string, decoded: string][] = [
  ['a=0Ab', 'a\nb'],
  ['=00', '\0'],
  ['=0f=F0=a9', '\x0f\xf0\xa9'],
  ['=fF', '\xff'],
  ['=39=30', '90'],
  ['a=3', 'a=3'],
  ['a=0', 'a=0'],
  ['a=', 'a'],
  ['a \t', 'a'],
  ['=G0', '=G0'],
  ['=0G', '=0G'],
  ['=/0=:0=@a=`a', '=/0=:0=@a=`a'],
  ['a= \t\r\nb', 'ab'],
  ['a=\nb', 'ab'],
  ['a=\rb', 'a=\rb'],
  ['a=\r\r\nb', 'a=\r\r\nb'],
  ['a= \r\r\nb', 'a= \r\r\nb'],
  ['a= b', 'a= b'],
  ['a= 41', 'a= 41'],
  [`a${blanks(998)}\n`, 'a\n'],
  [`a${blanks(999)}\n`, `a${blanks(998)}\n`],
  [`a=${blanks(997)}\n`, 'a'],
  [`a=${blanks(998)}\n`, `a=${blanks(997)}\n`],
];

for (const [encoded, decoded] of quotedPrintable) {
  test(`decodes ${JSON.stringify(encoded.slice(0, 30))} of ${encoded.length}, whole and byte by byte`, () => {
    const bytes = Buffer.from(encoded, 'latin1');
    for (const pieces of [[bytes], [...bytes].map((byte) => Buffer.of(byte))]) {
      const decoder = bodyDecoder('quoted-printable');
      const out = [...pieces.map((piece) => decoder.push(piece)), decoder.end()];
      assert.equal(Buffer.concat(out).toString('latin1'), decoded);
    }
  });
}
