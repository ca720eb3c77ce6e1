import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Invalid, Malformed } from '#core/errors.ts';
import { readForm } from './form.ts';

const part = (delimiter: string, header = 'Content-Disposition: form-data; name="a"') =>
  `${delimiter}\r\n${header}\r\n\r\nx\r\n`;
const read = (type: string, body: string) => readForm(Uint8Array.from(Buffer.from(body)), type);
const multipart = (parameters: string) => `multipart/form-data; ${parameters}`;

test('a form is read by the boundary that its delimiters are counted by', async () => {
  /** Parameters of the type, the delimiter in the body, and whether the form can be read. */
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
      await assert.rejects(form(10_000), Invalid, parameters);
    }
  }
});

test('fields of a form are counted before they are read', async () => {
  const urlEncoded = 'application/x-www-form-urlencoded';
  assert.deepEqual((await read(urlEncoded, 'a=1&a=2')).all('a'), ['1', '2']);
  await assert.rejects(read(urlEncoded, 'a=b&'.repeat(5001)), Invalid);
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
