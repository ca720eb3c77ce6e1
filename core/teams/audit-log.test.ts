import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kindsOf, planEntries } from './audit-log.ts';

const entry = (minute: number, actor = 'ada') => ({
  team: 1,
  at: new Date(minute * 60_000),
  actor,
  action: 'api_key.created' as const,
  target: `key ${minute}`,
  remoteAddress: null,
});

test('entries are of one kind by team, actor, action and hour', () => {
  const groups = kindsOf([entry(0), entry(59), entry(60), entry(0, 'bob')]);
  assert.deepEqual(
    groups.map(({ kind, entries }) => [kind.actor, kind.since.getTime() / 60_000, entries.length]),
    [
      ['ada', 0, 2],
      ['ada', 60, 1],
      ['bob', 0, 1],
    ],
  );
});

const cases: [what: string, entries: number, earlier: number, written: number, counted: number | null][] = [
  ['the first of an hour', 2, 0, 2, null],
  ['the last that is written', 1, 2, 1, null],
  ['the first that is counted', 1, 3, 0, 1],
  ['a crowd that has room for some', 5, 1, 2, 3],
  ['more than there is room for', 2, 9, 0, 2],
];
for (const [what, count, earlier, written, counted] of cases) {
  test(`${what}: written or counted`, () => {
    const entries = Array.from({ length: count }, (_, minute) => entry(minute));
    const [since, until] = [new Date(0), new Date(3_600_000)];
    const kind = { team: 1, actor: 'ada', action: 'api_key.created' as const, since, until };
    const plan = planEntries(kind, entries, earlier, 3);
    assert.deepEqual([plan.written.length, plan.counted?.more ?? null], [written, counted]);
  });
}

test('entries that concern others are written beyond the bound', () => {
  const entries = [entry(0), { ...entry(1), ofOthers: true }, entry(2)];
  const [{ kind } = assert.fail()] = kindsOf(entries);
  const { ofOthers: _, ...plain } = { ...entry(1), ofOthers: true };
  assert.deepEqual(planEntries(kind, entries, 3, 3), {
    kind,
    written: [plain],
    counted: { ...entry(2), target: '', more: 2 },
  });
});
