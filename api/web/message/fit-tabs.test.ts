import assert from 'node:assert/strict';
import { test } from 'node:test';
import { fitTabs } from './fit-tabs.ts';

const widths = [50, 40, 80, 60];
const cases: { row: number; open: number; shown: number[] }[] = [
  { row: 230, open: 0, shown: [0, 1, 2, 3] },
  { row: 229, open: 0, shown: [0, 1, 2] },
  { row: 199, open: 0, shown: [0, 1] },
  { row: 200, open: 3, shown: [0, 1, 3] },
  { row: 140, open: 3, shown: [0, 3] },
  { row: 120, open: 2, shown: [2] },
  { row: 10, open: 2, shown: [2] },
  { row: 0, open: 0, shown: [0] },
];
for (const { row, open, shown } of cases) {
  test(`tab ${open} is open in ${row} px`, () => assert.deepEqual(fitTabs(widths, row, 30, open), shown));
}
