import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Migration, outlookOf, planUpgrade, refusalOf, type Upgrade } from './version.ts';

const step = (to: number): Migration => ({ to, adds: `${to}` });
const known = { oldest: 6, migrations: [step(7), step(8)] };

const cases: [string, needs: number, applied: number[], from: number, missing: number[]][] = [
  ['a store of before migrations', 6, [], 6, [7, 8]],
  ['a store that has some', 6, [7], 7, [8]],
  ['a store that is up to date', 6, [7, 8], 8, []],
  ['a store that a later release has added to', 6, [7, 8, 9], 9, []],
  ['a store whose migration was interrupted', 6, [8], 8, [7]],
  ['a store that earlier programs no longer work with', 7, [], 7, [8]],
  ['a store that needs this very program', 8, [7, 8, 9], 9, []],
];

for (const [name, needs, applied, from, missing] of cases) {
  test(`upgrade of ${name}`, () => {
    assert.deepEqual(planUpgrade({ needs, applied }, known), {
      ...{ needs, from, to: 8 },
      missing: missing.map(step),
    });
  });
}

test('a store that needs a newer program, or is older than the oldest known, has no upgrade', () => {
  assert.equal(planUpgrade({ needs: 9, applied: [7, 8, 9] }, known), 'newer');
  assert.equal(planUpgrade({ needs: 5, applied: [] }, known), 'older');
});

const outlooks: [upgrade: Upgrade | null, sentence: RegExp][] = [
  [null, /^no store exists yet; /],
  [
    { needs: 6, from: 6, to: 8, missing: [step(7), step(8)] },
    /^the first process to start will migrate the store from version 6 to 8. This adds: 7; 8; programs that support store version 6 or/,
  ],
  [
    { needs: 6, from: 8, to: 8, missing: [] },
    /^the store is at version 8 and needs no migration; programs that/,
  ],
  [{ needs: 6, from: 9, to: 8, missing: [] }, /^the store is at version 9, from a later release; this/],
];

for (const [upgrade, sentence] of outlooks) {
  test(`outlook on an upgrade from ${upgrade?.from} to ${upgrade?.to}`, () => {
    assert.match(outlookOf(upgrade), sentence);
  });
}

test('a refusal names the version, what the program knows, and the way', () => {
  const terms = { known, another: 'SANDPOST_DATA_DIR' };
  assert.equal(
    refusalOf('newer', 'the database', { ...terms, needs: 9 }),
    'the database is from a later version of Sandpost (the store is at version 9, and this program supports versions up to 8): use that version, or a different SANDPOST_DATA_DIR',
  );
  assert.equal(
    refusalOf('older', 'the database', { ...terms, needs: 5 }),
    'the database is from an earlier version of Sandpost (the store is at version 5, and this program requires at least 6): export it with that version, and import the archive with this version into a different SANDPOST_DATA_DIR',
  );
});
