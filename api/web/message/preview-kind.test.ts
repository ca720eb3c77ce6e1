import assert from 'node:assert/strict';
import { test } from 'node:test';
import { previewKind } from './preview-kind.ts';

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
