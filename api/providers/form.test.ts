import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Invalid, Malformed } from '#core/errors.ts';
import { FormScanner, readForm } from './form.ts';

const part = (delimiter: string, header = 'Content-Disposition: form-data; name="a"') =>
  `${delimiter}\r\n${header}\r\n\r\nx\r\n`;
const read = (type: string, body: string) => readForm(Uint8Array.from(Buffer.from(body)), type);
/** Returns the refusal message for a form whose bytes arrive in pieces, or null. */
const refusalOf = (type: string, body: string, pieceBytes = 1000): string | null => {
  const scanner = new FormScanner(type);
  const bytes = Buffer.from(body);
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    const refusal = scanner.take(bytes.subarray(at, at + pieceBytes));
    if (refusal !== null) return refusal.error.message;
  }
  return null;
};
const multipart = (parameters: string) => `multipart/form-data; ${parameters}`;

test('a form is read by the boundary that its delimiters are counted by', async () => {
  /** Parameters of the type, the delimiter in the body, and whether the form can be parsed. */
  const cases: [string, string, boolean][] = [
    ['boundary=b', '--b', true],
    ['boundary="b c"', '--b c', true],
    ['BOUNDARY=b', '--b', true],
    ['boundary=b; boundary=other', '--b', true],
    ['x=";boundary=zzz"; boundary=b', '--b', true],
    ['x=";boundary=zzz\\""; boundary="\\b"', '--b', true],
    ['boundary=----=_Part', '------=_Part', true],
    ['boundary=other; boundary=b', '--b', false],
    ['boundary*0=b', '--b', false],
    ['boundary =b', '--b', false],
    ['boundary=', '--', false],
    ['x=";boundary=b"', '--b', false],
  ];
  for (const [parameters, delimiter, readable] of cases) {
    const form = (count: number) =>
      read(multipart(parameters), `${part(delimiter).repeat(count)}${delimiter}--\r\n`);
    if (!readable) await assert.rejects(form(2), Malformed, parameters);
    else {
      assert.deepEqual((await form(2)).all('a'), ['x', 'x'], parameters);
      const many = (count: number) => `${part(delimiter).repeat(count)}${delimiter}--\r\n`;
      assert.equal(refusalOf(multipart(parameters), many(4999)), null, parameters);
      assert.match(refusalOf(multipart(parameters), many(10_000)) ?? '', /5000 fields/, parameters);
    }
  }
});

test('fields of a form are counted while its bytes arrive, whatever pieces they come in', async () => {
  const urlEncoded = 'application/x-www-form-urlencoded';
  assert.deepEqual((await read(urlEncoded, 'a=1&a=2')).all('a'), ['1', '2']);
  const parts = part('--bb').repeat(5001);
  for (const pieceBytes of [1, 2, 3, 7, 100_000]) {
    assert.equal(refusalOf(urlEncoded, 'a=b&'.repeat(5000), pieceBytes), null);
    assert.match(refusalOf(urlEncoded, 'a=b&'.repeat(5001), pieceBytes) ?? '', /5000 fields/);
    assert.match(refusalOf(multipart('boundary=bb'), parts, pieceBytes) ?? '', /5000 fields/);
    assert.equal(refusalOf(multipart('boundary=bb'), parts.slice(3), pieceBytes), null);
  }
});

test('the boundary of a form is bounded', async () => {
  const form = (boundary: string) =>
    read(multipart(`boundary=${boundary}`), `${part(`--${boundary}`)}--${boundary}--\r\n`);
  assert.deepEqual((await form('b'.repeat(70))).all('a'), ['x']);
  await assert.rejects(form('b'.repeat(71)), Malformed);
});

test('the header of a part is bounded', async () => {
  const headers: [string, boolean][] = [
    [`Content-Disposition: form-data; name="a"\r\n${'X-A: b\r\n'.repeat(100)}X-B: c`, true],
    [`Content-Disposition: form-data; name="a"\r\n${'X-A: b\r\n'.repeat(10_000)}X-B: c`, false],
    [`Content-Disposition: form-data; name="${'%22'.repeat(10_000)}"`, false],
  ];
  for (const [header, readable] of headers) {
    const form = read(multipart('boundary=b'), `${part('--b', header)}--b--\r\n`);
    if (readable) assert.deepEqual((await form).all('a'), ['x']);
    else await assert.rejects(form, Invalid);
  }
  const long = `--b\r\nContent-Disposition: form-data; name="a"\r\n\r\n${'x'.repeat(100_000)}\r\n--b--\r\n`;
  assert.equal((await read(multipart('boundary=b'), long)).text('a')?.length, 100_000);
});
