import assert from 'node:assert/strict';
import { test } from 'node:test';
import { compact } from './make-client-data.ts';

const cases: { versions: Record<string, string>; newest: string }[] = [
  { versions: { '2019-10': 'n', '2022-12': 'y' }, newest: 'y' },
  { versions: { '2022-12': 'y', '2019-10': 'n' }, newest: 'y' },
  // JSON parsers put integer keys first.
  { versions: { '12.4': 'n', 13: 'y' }, newest: 'y' },
  { versions: { '4.38.0': 'n', '4.2352.0': 'a #2' }, newest: 'a2' },
  { versions: { 2007: 'n', 2019: 'a #1 #12' }, newest: 'a1,12' },
  { versions: { '2019-02': 'y', '16.80': 'n' }, newest: 'n' },
  { versions: { '16.80': 'y', '2024-02': 'a #1' }, newest: 'a1' },
  { versions: { 2016: 'n', '2024-01': 'y' }, newest: 'y' },
];

test('the newest version of each client counts', () => {
  for (const { versions, newest } of cases) {
    const feature = {
      slug: 'a',
      title: ' A ',
      stats: { shop: { ios: versions }, app: { web: { 1: 'u' } } },
      notes_by_num: null,
    };
    const made = compact({ last_update_date: '2026-05-13 14:45:41 +0000', data: [feature] });
    assert.deepEqual(made, {
      date: '2026-05-13',
      clients: 'app.web shop.ios',
      features: [{ slug: 'a', title: 'A', row: `u ${newest}`, notes: {} }],
    });
  }
});
