import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import { arrival } from '#test/support/program/arrival.ts';
import { type ParsedMail, parseMail } from './mail-parser.ts';

const mebibyte = 1_048_576;
const mixed = 'Subject: x\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n';

function nested(depth: number): string {
  return Array.from(
    { length: depth },
    (_, at) => `Content-Type: multipart/mixed; boundary=b${at}\n\n--b${at}\n`,
  ).join('');
}

/** Parses an email that repeats `filler` after `head` up to `size`, in pieces, and measures processor time in ms. */
async function measure(head: string, filler: string, size: number): Promise<ParsedMail & { cpuMs: number }> {
  const piece = Buffer.alloc(262_144 - (262_144 % Buffer.byteLength(filler)), filler);
  const started = process.cpuUsage();
  const parsed = await parseMail(
    (async function* () {
      yield Buffer.from(head);
      for (let left = size; left > 0; left -= piece.length) yield piece.subarray(0, left);
    })(),
    arrival,
  );
  const { user, system } = process.cpuUsage(started);
  return { ...parsed, cpuMs: (user + system) / 1000 };
}

const bombs: { name: string; head: string; filler: string; size: number; limited?: true }[] = [
  { name: 'multiparts 10,000 deep', head: nested(10_000), filler: 'x', size: 10, limited: true },
  { name: 'lines like delimiters, 99 deep', head: `${nested(98)}\n`, filler: '--x\n', size: 8 * mebibyte },
  { name: '1,000,000 parts', head: mixed, filler: '--b\n\nx\n', size: 8 * mebibyte, limited: true },
  {
    name: '1,000,000 attachments',
    head: mixed,
    filler: '--b\nContent-Type: a/b\n\n',
    size: 25 * mebibyte,
    limited: true,
  },
  { name: 'a header of 20 MiB', head: 'Subject: x\r\n', filler: 'X-Y: z\r\n', size: 20 * mebibyte },
  { name: 'a field of 20 MiB', head: 'Subject: x\r\nTo: ', filler: 'a', size: 20 * mebibyte },
  { name: 'a folded field of 20 MiB', head: 'Subject: x\r\nTo: ', filler: 'a\r\n ', size: 20 * mebibyte },
  { name: '8,000 unfinished encoded words', head: 'Subject: ', filler: '=?utf-8?Q?abc ', size: 112_000 },
  { name: 'finished encoded words', head: 'Subject: ', filler: '=?utf-8?B?YWJj?= ', size: mebibyte },
  { name: 'nested groups', head: 'To: ', filler: 'a:', size: mebibyte },
  { name: 'nested comments', head: 'To: ', filler: '(', size: mebibyte },
  { name: 'many comments', head: 'To: ', filler: '(a)', size: mebibyte },
  { name: 'quotes', head: 'To: ', filler: '"\\', size: mebibyte },
  { name: 'angles', head: 'To: ', filler: '<', size: mebibyte },
  { name: 'addresses', head: 'To: ', filler: 'a@b,', size: mebibyte },
  { name: 'parameters', head: 'Content-Type: a/b', filler: '; a*1=b', size: mebibyte },
  { name: 'ids', head: 'References: ', filler: 'a@', size: mebibyte },
  { name: '25 MiB of line feeds', head: 'Subject: x\r\n\r\n', filler: '\n', size: 25 * mebibyte },
  {
    name: '25 MiB of soft line breaks',
    head: 'Content-Transfer-Encoding: quoted-printable\n\n',
    filler: '=\r\n',
    size: 25 * mebibyte,
  },
  {
    name: '25 MiB of HTML',
    head: 'Content-Type: text/html\n\n',
    filler: '<b><i>x</i> &amp; ',
    size: 25 * mebibyte,
  },
  {
    name: 'flowed lines',
    head: 'Content-Type: text/plain; format=flowed\n\n',
    filler: '> \n',
    size: mebibyte,
  },
];

for (const { name, head, filler, size, limited } of bombs) {
  test(`reads ${name} in time`, async () => {
    const { content, facts, cpuMs } = await measure(head, filler, size);
    assert.ok(cpuMs < 2000, `${cpuMs} ms`);
    assert.equal(facts.structureLimit !== null, limited ?? false);
    assert.ok(content.attachments.length <= 1000);
    assert.ok(content.to.length <= limits.mail.addresses);
    assert.ok(content.headers.length <= 1000);
  });
}

test('limits a tree to 100 levels', async () => {
  const { content, facts } = await measure(`${nested(300)}\nx`, 'y', 1);
  let depth = 1;
  for (let part = content.structure; part.children[0] !== undefined; part = part.children[0]) depth += 1;
  assert.equal(depth, 100);
  assert.equal(facts.structureLimit, 'mail.partLevels');
});

test('reads the fields behind a long one', async () => {
  const { content, facts } = await measure(
    `To: ${'a@b.test, '.repeat(100_000)}\r\nSubject: x\r\n\r\n`,
    'y',
    1,
  );
  assert.equal(content.subject, 'x');
  assert.equal(content.to.length, limits.mail.addresses);
  assert.equal(facts.headerLimit, 'mail.headerFieldBytes');
});

test('reads fields and parameters that are named like properties of every object', async () => {
  const head =
    '__proto__: 1\r\nconstructor: 2\r\ntoString: 3\r\nContent-Type: text/plain; __proto__=x; charset=constructor\r\n\r\n';
  const { content } = await measure(head, 'y', 1);
  assert.deepEqual(
    content.headers.slice(0, 3).map(({ name, value }) => [name, value]),
    [
      ['__proto__', '1'],
      ['constructor', '2'],
      ['toString', '3'],
    ],
  );
  assert.equal(content.text, 'y');
  assert.equal(Object.getOwnPropertyNames(Object.prototype).includes('x'), false);
});
