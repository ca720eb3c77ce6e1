import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayAct, previewKind } from './preview-kind.ts';

test('kinds of preview by content type and file name', () => {
  const cases: [type: string, filename: string | null, kind: ReturnType<typeof previewKind>][] = [
    ['image/png', null, 'image'],
    ['IMAGE/SVG+XML', 'x.html', 'image'],
    ['image/tiff', 'x.tiff', null],
    ['application/pdf', null, 'pdf'],
    ['application/octet-stream', 'a.PDF', 'pdf'],
    ['text/calendar', null, 'calendar'],
    ['application/octet-stream', 'invite.ics', 'calendar'],
    ['text/html', 'x.html', 'text'],
    ['message/rfc822', null, 'text'],
    ['application/xhtml+xml', null, 'text'],
    ['application/ld+json', null, 'text'],
    ['application/octet-stream', 'a.csv', 'text'],
    ['application/octet-stream', 'a.html', null],
    ['application/zip', 'a.txt', null],
  ];
  for (const [content_type, filename, kind] of cases)
    assert.equal(previewKind({ content_type, filename }), kind, `${content_type} ${filename}`);
});

const acts = (text: string) =>
  mayAct(Buffer.from(`%PDF-1.4\n1 0 obj<</Type/Catalog${text}>>endobj`, 'latin1'));

test('a PDF with actions differs from one that is only read', () => {
  const active = [
    '/OpenAction<</S/JavaScript/JS(app.alert(1))>>',
    '/OpenAction 5 0 R',
    '/OpenAction %[\n 5 0 R',
    '/Open#41ction 5 0 R',
    '/X<</S/J#61vaScript>>',
    '/AA<</O<</S/URI/URI(https://x.example)>>>>',
    '/AA 4 0 R',
    '/A<</S/SubmitForm>>',
    '/A<</S/Launch>>',
    '/AcroForm<</XFA 1 0 R>>',
    '>>endobj 2 0 obj<</Type/ObjStm/N 4',
    '/Encrypt 3 0 R',
  ];
  for (const text of active) assert.ok(acts(text), text);
  const quiet = [
    '',
    '/OpenAction[3 0 R /FitH null]',
    '/OpenAction [3 0 R/XYZ 0 0 0]',
    '/A<</S/URI/URI(https://x)>>',
    '/AAPL:x',
  ];
  for (const text of quiet) assert.ok(!acts(text), text);
});
