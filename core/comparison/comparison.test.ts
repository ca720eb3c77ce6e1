import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compareForms, type DiffLines } from './comparison.ts';
import { maskForm, type NormalForm, normalForm } from './normal-form.ts';

const bounds = { changes: 200, changeCharacters: 2000, unifiedCharacters: 65_536 };
const empty: NormalForm = { header: [], structure: [], text: [], html: [], attachments: [] };

/** Considers all lines of both sides changed, except those that both begin or end with. */
const diff: DiffLines = (left, right) => {
  let before = 0;
  while (before < Math.min(left.length, right.length) && left[before] === right[before]) before += 1;
  let behind = 0;
  while (
    behind < Math.min(left.length, right.length) - before &&
    left.at(-1 - behind) === right.at(-1 - behind)
  )
    behind += 1;
  const cut = (lines: string[]) => lines.slice(before, lines.length - behind);
  return [
    {
      oldStart: before + 1,
      oldLines: cut(left).length,
      newStart: before + 1,
      newLines: cut(right).length,
      lines: [...cut(left).map((line) => `-${line}`), ...cut(right).map((line) => `+${line}`)],
    },
  ];
};

const fields = (...texts: string[]) => texts.map((text) => ({ path: text.split(':')[0] ?? '', text }));
const elements = (path: string, ...texts: string[]) => texts.map((text) => ({ path, text }));

test('equal forms have no changes', () => {
  const form = { ...empty, header: fields('a: 1') };
  assert.deepEqual(compareForms(form, form, diff, bounds), {
    equal: true,
    changes: [],
    unified: '',
    tooDifferent: [],
  });
});

test('fields of one name replace each other, and others stand alone', () => {
  const left = { ...empty, header: fields('a: 1', 'b: 1', 'c: 1') };
  const right = { ...empty, header: fields('a: 2', 'c: 2', 'd: 2') };
  assert.deepEqual(compareForms(left, right, diff, bounds).changes, [
    { part: 'header', path: 'a', before: 'a: 1', after: 'a: 2' },
    { part: 'header', path: 'b', before: 'b: 1', after: null },
    { part: 'header', path: 'c', before: 'c: 1', after: 'c: 2' },
    { part: 'header', path: 'd', before: null, after: 'd: 2' },
  ]);
});

test('lines of other places replace each other as a whole, or one by one where there are as many', () => {
  const changes = (left: string[], right: string[]) =>
    compareForms(
      { ...empty, html: elements('p', ...left) },
      { ...empty, html: elements('td', ...right) },
      diff,
      bounds,
    ).changes.map(({ before, after }) => [before, after]);
  assert.deepEqual(changes(['a', 'b'], ['c', 'd']), [
    ['a', 'c'],
    ['b', 'd'],
  ]);
  assert.deepEqual(changes(['a', 'b'], ['c']), [['a\nb', 'c']]);
  assert.deepEqual(changes([], ['c']), [[null, 'c']]);
});

test('the unified diff has a head for each part that differs', () => {
  const left = { ...empty, header: fields('a: 1'), text: elements('line 1', 'x') };
  const right = { ...empty, header: fields('a: 1'), text: [] };
  assert.equal(
    compareForms(left, right, diff, bounds).unified,
    '--- left/text\n+++ right/text\n@@ -1,1 +0,0 @@\n-x\n',
  );
});

test('parts that are too different are named, and others compared', () => {
  const left = { ...empty, text: elements('line 1', 'x'), html: elements('p', 'a') };
  const right = { ...empty, text: elements('line 1', 'y'), html: elements('p', 'b', 'c') };
  const tooLong: DiffLines = (one, other) => (one[0] === 'a' ? null : diff(one, other));
  const compared = compareForms(left, right, tooLong, bounds);
  assert.deepEqual([compared.equal, compared.tooDifferent], [false, ['html']]);
  assert.deepEqual(compared.changes, [
    { part: 'text', path: 'line 1', before: 'x', after: 'y' },
    { part: 'html', path: '', before: '1 lines', after: '2 lines' },
  ]);
  assert.match(compared.unified, /\+\+\+ right\/html\nThe two versions are too different/);
});

test('answers are bounded', () => {
  const many = (text: string) => ({
    ...empty,
    text: elements('p', ...Array.from({ length: 300 }, (_, at) => `${text}${at}`)),
  });
  const small = { changes: 2, changeCharacters: 3, unifiedCharacters: 10 };
  const { changes, unified } = compareForms(many('aaaa'), many('bbbb'), diff, small);
  const previous = changes.map(({ before }) => before);
  assert.deepEqual(previous, ['aaa…', 'aaa…']);
  assert.equal(unified, '--- left/t…\n');
});

test('many changes of one place take linear time', () => {
  const many = (text: string): NormalForm => {
    const html = Array.from({ length: 200_000 }, (_, at) => ({ path: 'p', text: `${text}${at}` }));
    return { ...empty, html };
  };
  assert.equal(compareForms(many('a'), many('b'), diff, bounds).changes.length, 200);
});

test('a normal form sorts fields by name, keeps their order within one, and folds their space', () => {
  const content = {
    headers: [
      { name: 'Subject', value: 'Your  code\t4938' },
      { name: 'X-B', value: '2' },
      { name: 'Date', value: 'Wed, 25 Nov 2026 21:00:56 +0000' },
      { name: 'x-b', value: '1' },
    ],
    structure: {
      contentType: 'multipart/mixed',
      sizeBytes: 9,
      filename: null,
      attachmentId: null,
      children: [
        { contentType: 'text/plain', sizeBytes: 9, filename: null, attachmentId: null, children: [] },
      ],
    },
    text: 'a\r\nb 4938\n',
    codes: [{ value: '4938', source: 'text' as const }],
    attachments: [
      {
        ...{
          id: 1,
          filename: 'invoice-2026-11-25.pdf',
          contentType: 'application/pdf',
          sizeBytes: 3,
          contentId: null,
        },
        ...{ disposition: 'attachment' as const, sha256: 'ab'.repeat(32) },
        body: { start: 0, end: 0, encoding: 'base64' as const },
      },
    ],
  };
  const { form, masked } = maskForm(
    normalForm(content, elements('p', 'Code 4938', '4', '938')),
    ['codes', 'dates', 'ids'],
    ['4938'],
  );
  const texts = Object.fromEntries(
    Object.entries(form).map(([part, lines]) => [part, lines.map(({ text }) => text)]),
  );
  assert.deepEqual(texts, {
    header: ['date: [date]', 'subject: Your code [code]', 'x-b: 2', 'x-b: 1'],
    structure: ['multipart/mixed', '  text/plain'],
    text: ['a', 'b [code]', ''],
    html: ['Code [code]', '[code]', '[code]'],
    attachments: [`invoice-[date].pdf application/pdf, attachment, 3 bytes, SHA-256 ${'ab'.repeat(32)}`],
  });
  assert.equal(form.attachments[0]?.path, 'invoice-[date].pdf');
  assert.deepEqual(masked, { ids: 0, dates: 2, codes: 4, queries: 0, patterns: 0 });
});
