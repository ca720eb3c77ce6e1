import assert from 'node:assert/strict';
import { test } from 'node:test';
import { arrival } from '#test/support/program/arrival.ts';
import { parseMail } from './mail-parser.ts';

/** Part: its type, with a name after a slash and its disposition after a colon; or a multipart: its subtype and parts. */
type Part = string | Part[];

let boundaries = 0;

/** Writes a part. Its body consists of its type and name. */
function write(part: Part): string {
  if (typeof part === 'string') {
    const [, type = '', , name, , disposition] = /^([a-z]+)(\/(\S+?))?(:(\S+))?$/.exec(part) ?? [];
    const contentType = type === 'pdf' ? 'application/pdf' : `text/${type}`;
    const head = name === undefined ? contentType : `${contentType}; name="${name}"`;
    const place = disposition === undefined ? '' : `Content-Disposition: ${disposition}\n`;
    return `Content-Type: ${head}\n${place}\n${name ?? type}`;
  }
  const [subtype, ...parts] = part;
  const boundary = `b${boundaries++}`;
  const inner = parts.map((each) => `--${boundary}\n${write(each)}\n`).join('');
  return `Content-Type: multipart/${subtype}; boundary=${boundary}\n\n${inner}--${boundary}--`;
}

const cases: [mail: Part, text: string | null, html: string | null, attachments: string[]][] = [
  // A name does not make an attachment.
  ['html/body.htm', null, 'body.htm', []],
  ['plain/body.txt', 'body.txt', null, []],
  ['html/body.htm:inline', null, 'body.htm', []],
  ['html/page.htm:attachment', null, null, ['page.htm']],
  ['html/page.htm:form-data', null, null, ['page.htm']],
  [['mixed', 'plain/body.txt', 'pdf/a.pdf'], 'body.txt', null, ['a.pdf']],
  [['mixed', 'pdf/a.pdf', 'plain/body.txt'], 'body.txt', null, ['a.pdf']],
  [['mixed', 'plain:attachment', 'html/body.htm'], null, 'body.htm', ['']],
  [['alternative', 'plain/a.txt', 'html/a.htm'], 'a.txt', 'a.htm', []],
  [['alternative', 'plain', 'html/a.htm'], 'plain', 'a.htm', []],
  [['related', 'html/a.htm', 'pdf/a.pdf'], null, 'a.htm', ['a.pdf']],
  [['alternative', 'plain/a.txt', ['related', 'html/a.htm', 'pdf/a.pdf']], 'a.txt', 'a.htm', ['a.pdf']],
  [
    ['alternative', 'plain', ['mixed', 'html/a.htm', 'pdf/a.pdf', 'html/b.htm']],
    'plain',
    'a.htm',
    ['a.pdf', 'b.htm'],
  ],
  [['mixed', ['alternative', 'plain/a.txt', 'html/a.htm'], 'plain/b.txt'], 'a.txt', 'a.htm', ['b.txt']],
  [['signed', 'plain/a.txt', 'pdf/a.sig'], 'a.txt', null, ['a.sig']],
  [['report', 'plain/a.txt', 'plain/b.txt'], 'a.txt', null, ['b.txt']],
  // A text beside a body stays an attachment.
  [['mixed', 'plain', 'plain/notes.txt'], 'plain', null, ['notes.txt']],
  [['mixed', 'plain', 'html/page.htm:inline'], 'plain', null, ['page.htm']],
  [['mixed', 'html/a.htm', 'plain/b.txt'], null, 'a.htm', ['b.txt']],
  [['mixed', 'plain/a.txt', 'plain/b.txt'], 'a.txt', null, ['b.txt']],
  [['alternative', 'plain', 'plain/b.txt', 'html'], 'plain', 'html', ['b.txt']],
  // Parts without a name are displayed, like all parts of mixed.
  [['mixed', 'html', 'plain'], 'plain', 'html', []],
  [['mixed', 'html/a.htm', 'plain'], 'plain', 'a.htm', []],
  [['mixed', ['alternative', 'plain', 'html'], 'plain', 'pdf/a.pdf'], 'plain\nplain', 'html', ['a.pdf']],
  // Other texts are not a body.
  [['alternative', 'plain', 'html', 'calendar'], 'plain', 'html', ['']],
  ['calendar', null, null, ['']],
  ['csv', null, null, ['']],
  ['markdown/a.md', null, null, ['a.md']],
  [['mixed', 'plain', 'markdown'], 'plain', null, ['']],
  // Exception: an email that consists of nothing else.
  ['markdown', 'markdown', null, []],
];

for (const [mail, text, html, attachments] of cases) {
  test(`reads ${JSON.stringify(mail)}`, async () => {
    const { content } = await parseMail(Buffer.from(write(mail)), arrival);
    assert.deepEqual(
      [content.text, content.html, content.attachments.map(({ filename }) => filename ?? '')],
      [text, html, attachments],
    );
  });
}
