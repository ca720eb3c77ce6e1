import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import { bodyDecoder } from '#core/messages/attachment-body.ts';
import type { MimePart } from '#core/messages/content.ts';
import { arrival, cut } from '#test/support/program/arrival.ts';
import { type ParsedMail, parseMail } from './mail-parser.ts';

const fixture = (name: string) => readFileSync(new URL(`../../test/support/mails/${name}`, import.meta.url));
const parse = (mail: string | Buffer) => parseMail(Buffer.from(mail), arrival);

/** MIME tree on one line: `type#attachment(children)`. */
function sketch(part: MimePart): string {
  const id = part.attachmentId === null ? '' : `#${part.attachmentId}`;
  const children = part.children.length === 0 ? '' : `(${part.children.map(sketch).join(' ')})`;
  return part.contentType + id + children;
}

test('reads a mail with text and HTML', async () => {
  const { content, facts } = await parse(fixture('verify-alternative.eml'));
  assert.equal(content.msgid, '<20261121.7f3c@shop.example>');
  assert.equal(content.inReplyTo, '<order-1@shop.example>');
  assert.deepEqual(content.references, ['<order-0@shop.example>', '<order-1@shop.example>']);
  assert.deepEqual(content.from, { name: 'Léa from Shop', address: 'No-Reply@Shop.example' });
  assert.deepEqual(content.to, [
    { name: 'Bob, the Builder', address: 'Bob+signup@app.test' },
    { name: '', address: 'eve@app.test' },
  ]);
  const addresses = content.cc.map(({ address }) => address);
  assert.deepEqual(addresses, ['ann@app.test', 'dan@app.test']);
  assert.ok(content.subject.endsWith('Confirm your address \u{1F4E7}'), content.subject);
  assert.equal(content.date?.toISOString(), '2026-11-21T10:00:00.000Z');
  assert.equal(
    content.text,
    'Hello Bob,\n\nplease confirm your address – your code is 481 922. It is good for 10 minutes.\n\nhttps://shop.example/verify?t=abc',
  );
  assert.match(content.html ?? '', /^<html>.*<\/html>$/s);
  assert.match(content.intro, /^Hello Bob, please confirm your address – your code/);
  assert.deepEqual(content.codes, [{ value: '481922', source: 'text' }]);
  assert.deepEqual(content.links, [
    { url: 'https://shop.example/verify?t=abc&h=1', text: 'Confirm your address', kind: 'verify' },
    { url: 'mailto:leave@shop.example', text: '', kind: 'unsubscribe' },
    { url: 'https://shop.example/u/9', text: '', kind: 'unsubscribe' },
  ]);
  assert.equal(content.mainLink, 'https://shop.example/verify?t=abc&h=1');
  assert.equal(
    content.headers[0]?.value,
    'from mta7.shop.example (mta7.shop.example [192.0.2.17]) by mx.app.test with ESMTPS id 7f3c; Sat, 21 Nov 2026 10:00:02 +0000',
  );
  assert.equal(sketch(content.structure), 'multipart/alternative(text/plain text/html)');
  const { sender, recipients } = content.search;
  assert.equal(sender, 'lea from shop no-reply@shop.example');
  const people = ['bob, the builder bob+signup@app.test', 'eve@app.test', 'ann@app.test', 'dan dan@app.test'];
  assert.equal(recipients, people.join('\n'));
  assert.equal(facts.parseError, null);
  assert.deepEqual(
    [facts.hasText, facts.hasHtml, facts.bareCr, facts.bareLf, facts.eightBitHeader],
    [true, true, 0, 0, false],
  );
});

test('searches no people in a mail that names none', async () => {
  const { content } = await parse(
    Buffer.from('Subject: Hi\r\nTo: undisclosed-recipients:;\r\n\r\nhello\r\n'),
  );
  assert.deepEqual(content.search, { subject: 'hi', sender: null, recipients: '', text: 'hello' });
});

test('searches the beginning of a long text', async () => {
  const text = `first ${'word '.repeat(250_000)}last`;
  const { content } = await parse(Buffer.from(`Subject: Hi\r\n\r\n${text}\r\n`));
  assert.equal(content.search.text, text.slice(0, limits.mail.searchedCharacters).trimEnd());
});

test('separates body and attachments, and locates each attachment', async () => {
  const raw = fixture('attachments.eml');
  const { content } = await parse(raw);
  assert.equal(content.html, '<p>Grüße <img src="cid:logo@shop"></p>');
  assert.equal(content.text, '-- \nSent from a list');
  assert.equal(
    sketch(content.structure),
    'multipart/mixed(multipart/related(text/html image/png#1) application/pdf#2 text/plain#3 text/calendar#4 message/rfc822#5 text/plain)',
  );
  assert.deepEqual(
    content.attachments.map(({ filename, disposition, contentId }) => [filename, disposition, contentId]),
    [
      ['logo.png', 'inline', 'logo@shop'],
      ['Rechnung N° 7.pdf', 'attachment', null],
      ['notes.txt', 'attachment', null],
      [null, 'attachment', null],
      [null, 'attachment', null],
    ],
  );
  const bodies = content.attachments.map(({ body, sizeBytes, sha256 }) => {
    const decoder = bodyDecoder(body.encoding);
    const decoded = Buffer.concat([decoder.push(raw.subarray(body.start, body.end)), decoder.end()]);
    assert.equal(decoded.length, sizeBytes);
    assert.equal(createHash('sha256').update(decoded).digest('hex'), sha256);
    return decoded.toString('latin1');
  });
  assert.deepEqual(bodies.slice(0, 4), [
    '\x89PNG\r\n\x1a\n',
    '%PDF-1.4\n',
    'A note',
    'BEGIN:VCALENDAR\r\nEND:VCALENDAR',
  ]);
  assert.match(bodies[4] ?? '', /^Subject: Forwarded\r\n.*--outer2--$/s);
});

test('reads eight-bit headers, an old charset and flowed lines, and counts bare line feeds', async () => {
  const { content, facts } = await parse(fixture('bare-lf-koi8.eml'));
  assert.equal(content.subject, 'cafà and more');
  assert.equal(content.headers[2]?.value, 'мир');
  assert.equal(content.text, 'привет мир');
  assert.equal(content.date, null);
  assert.deepEqual([facts.bareLf, facts.eightBitHeader, content.msgid], [9, true, null]);
});

test('reads a report: padding behind a boundary, a part without a type, an id without brackets', async () => {
  const { content } = await parse(fixture('bounce.eml'));
  assert.equal(content.text, 'No such user.');
  assert.equal(content.msgid, '<b1@mx.example>');
  assert.equal(
    sketch(content.structure),
    'multipart/report(text/plain message/delivery-status#1 text/rfc822-headers#2)',
  );
});

for (const name of ['verify-alternative.eml', 'attachments.eml', 'bare-lf-koi8.eml', 'bounce.eml']) {
  test(`reads ${name} the same however it is cut`, async () => {
    const raw = fixture(name);
    const whole: ParsedMail = await parse(raw);
    for (const size of [1, 2, 3, 17, 1000])
      assert.deepEqual(await parseMail(cut(raw, size), arrival), whole, `${size}`);
  });
}

const structures: [name: string, mail: string, sketch: string, text: string | null][] = [
  ['nothing', '', 'text/plain', ''],
  ['no header', '\r\nbody', 'text/plain', 'body'],
  ['no body', 'Subject: x', 'text/plain', ''],
  [
    'a missing closing delimiter',
    'Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b\n\ntwo',
    'multipart/mixed(text/plain text/plain)',
    'one\ntwo',
  ],
  [
    'an outer delimiter inside',
    'Content-Type: multipart/mixed; boundary=o\n\n--o\nContent-Type: multipart/mixed; boundary=i\n\n--i\n\none\n--o\n\ntwo\n--o--',
    'multipart/mixed(multipart/mixed(text/plain) text/plain)',
    'one\ntwo',
  ],
  [
    'one boundary twice',
    'Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b--\n--b\n\ntwo\n--b--\n--b\n\nthree',
    'multipart/mixed(multipart/mixed(text/plain) text/plain)',
    'one\ntwo',
  ],
  [
    'a boundary that begins another',
    'Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--bb\n--b--\n',
    'multipart/mixed(text/plain)',
    'one\n--bb',
  ],
  [
    'lines that resemble a delimiter',
    'Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\nx-b\n-xb\n--\n--b--',
    'multipart/mixed(text/plain)',
    'one\nx-b\n-xb\n--',
  ],
  [
    'a boundary that ends in a blank',
    'Content-Type: multipart/mixed; boundary="b "\n\n--b \n\none\n--b\n\ntwo',
    'multipart/mixed(text/plain text/plain)',
    'one\ntwo',
  ],
  [
    'a part that ends in its header',
    'Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: text/html\n--b--',
    'multipart/mixed(text/html)',
    null,
  ],
  ['an empty boundary', 'Content-Type: multipart/mixed; boundary=""\n\n--\nx', 'multipart/mixed', '--\nx'],
  [
    'a digest',
    'Content-Type: multipart/digest; boundary=b\n\n--b\n\nSubject: x\n\n--b--',
    'multipart/digest(message/rfc822#1)',
    null,
  ],
  ['a type that is none', 'Content-Type: text\n\nx', 'text/plain', 'x'],
  ['a comment', 'Content-Type: (a) text/html (b); charset=utf-8 (c)\n\nx', 'text/html', null],
  ['text set apart', 'Content-Type: text/plain\nContent-Disposition: attachment\n\nx', 'text/plain#1', null],
  ['an mbox line', 'From ann Sat Nov 21\nSubject: x\n\ny', 'text/plain', 'y'],
];

for (const [name, mail, structure, text] of structures) {
  test(`finds the parts of a mail with ${name}`, async () => {
    const { content, facts } = await parse(mail);
    assert.equal(sketch(content.structure), structure);
    assert.equal(content.text, text);
    assert.equal(facts.parseError, null);
    assert.equal(content.structure.sizeBytes <= mail.length, true);
  });
}

test('measures parts up to the line ending before their delimiter', async () => {
  const head = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n';
  const first = '--b\r\n\r\none\r\n';
  const inner = 'Content-Type: multipart/mixed; boundary=i\r\n\r\n';
  const cases: [name: string, body: string, sizes: number[]][] = [
    ['closed', `${first}--b--\r\nbehind\r\n`, [`${first}--b--`.length, 3]],
    ['not closed', `${first}`, [first.length, 5]],
    [
      'ended in its header',
      `${first}--b\r\nX: y\r\n--b--\r\n`,
      [`${first}--b\r\nX: y\r\n--b--`.length, 3, 0],
    ],
    ['within another', `--b\r\n${inner}--i\r\n\r\ntwo!\r\n--i--\r\n--b--`, [75, 18, 4]],
  ];
  const sizesOf = (part: MimePart): number[] => [part.sizeBytes, ...part.children.flatMap(sizesOf)];
  for (const [name, body, sizes] of cases) {
    for (const size of [1, 7, 1000]) {
      const { content, facts } = await parseMail(cut(Buffer.from(head + body), size), arrival);
      assert.deepEqual(sizesOf(content.structure), sizes, `${name}, pieces of ${size}`);
      assert.equal(facts.sizeBytes, head.length + body.length);
    }
  }
});

test('takes no later piece of a long line for a delimiter', async () => {
  const head = 'Content-Type: multipart/mixed; boundary=b\n\n--b\n\n';
  const long = head + 'x'.repeat(6000);
  const { content } = await parseMail(cut(Buffer.from(`${long}--b\n\n--b--`), long.length), arrival);
  assert.equal(content.text, `${'x'.repeat(6000)}--b\n`);
});

test('decodes charsets, declared or not', async () => {
  const cases: [charset: string, bytes: string, text: string][] = [
    ['', '636166c3a9', 'café'],
    ['us-ascii', '636166e9', 'café'],
    ['gb2312', 'c4e3bac3', '你好'],
    ['iso-2022-jp', '1b2442244f2424 1b2842'.replace(' ', ''), 'はい'],
    ['utf-16le', '680069000d000a00', 'hi\n'],
    ['utf-7', '2b4144772d', '<'],
    ['no-such', '6869', 'hi'],
  ];
  for (const [charset, hex, text] of cases) {
    const head = Buffer.from(`Content-Type: text/plain; charset="${charset}"\r\n\r\n`);
    const { content } = await parse(Buffer.concat([head, Buffer.from(hex, 'hex')]));
    assert.equal(content.text, text, charset);
  }
});

test('measures lines that are longer than the buffer', async () => {
  const mail = Buffer.from(`X-Long: ${'a'.repeat(10_000)}\r\n\r\n${'b'.repeat(20_000)}\r\r\nc\rd\n`);
  for (const size of [700, 5000, 50_000]) {
    const { content, facts } = await parseMail(cut(mail, size), arrival);
    assert.deepEqual([facts.longestLine, facts.bareCr, facts.bareLf], [20_001, 2, 1]);
    assert.equal(content.headers[0]?.value.length, 10_000);
    assert.equal(content.text?.length, 20_006);
  }
});

test('reads the first addresses of a field that has too many, whole', async () => {
  const { content } = await parse(
    Buffer.from(
      `To: ${Array.from({ length: 3000 }, (_, at) => `"x, y" <a${at}@b.test>`).join(', ')}\r\nCc: c@d.test${',c@d.test'.repeat(9999)}\r\n\r\n`,
    ),
  );
  assert.equal(content.to.length, limits.mail.addresses);
  assert.deepEqual(content.to.at(-1), { name: 'x, y', address: 'a1999@b.test' });
  assert.equal(content.cc.length, limits.mail.addresses);
  assert.equal(content.cc.at(-1)?.address, 'c@d.test');
});
