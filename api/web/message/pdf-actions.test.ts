import assert from 'node:assert/strict';
import { test } from 'node:test';
import { mayAct } from './pdf-actions.ts';

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
