import assert from 'node:assert/strict';
import { mock, test } from 'node:test';
import { entries, resource, secret } from '#test/support/kubernetes/api-key-views.ts';
import { createRepairs, type RepairBackoff } from './repair-backoff.ts';
import { writeOrRepair } from './repairs.ts';
import type { Announcement } from './runtime/event-recorder.ts';
import type { SecretView } from './secrets.ts';

const whole = { tokenId: 3, secretName: 'ci', observedGeneration: 1 };
const first: RepairBackoff = { repairs: 0, pauseMs: 0 };
const others = (...names: string[]) => {
  const written = Object.keys(entries).filter((name) => !names.includes(name));
  return secret({ data: { ...entries, ...Object.fromEntries(names.map((name) => [name, 'x'])) }, written });
};
const { uri: _, ...withoutUri } = entries;

/** Status, Secret, value and pace, and the Event's reason and message, the pause, or nothing for a usual write. */
const cases: [string, object, SecretView | null, 'new' | 'same', RepairBackoff, RegExp | number | null][] = [
  ['a new resource', {}, null, 'new', first, null],
  ['a resource without a key', { ...whole, tokenId: undefined }, null, 'new', first, null],
  ['a changed spec', { ...whole, observedGeneration: 0 }, others('host'), 'same', first, null],
  [
    'entries that the operator wrote',
    whole,
    secret({ data: { ...entries, host: 'x' } }),
    'same',
    first,
    null,
  ],
  ['a deleted Secret', whole, null, 'new', first, /^SecretRepaired .*ci was deleted/],
  ['a changed key', whole, others('SANDPOST_API_KEY'), 'new', first, /^SecretRepaired SANDPOST_API_KEY/],
  [
    'changed entries',
    whole,
    others('host', 'port'),
    'same',
    first,
    /^SecretRepaired .*restored host, port in/,
  ],
  [
    'a removed entry',
    whole,
    secret({ data: withoutUri }),
    'same',
    first,
    /^SecretRepaired .*restored uri in/,
  ],
  [
    'an entry that is new with a setting',
    whole,
    secret({ data: withoutUri, recorded: new Set(Object.keys(withoutUri)) }),
    'same',
    first,
    null,
  ],
  [
    'a removed label',
    whole,
    secret({ isLabelled: false }),
    'same',
    first,
    /^SecretRepaired .*restored the label in/,
  ],
  ['a repair soon after another', whole, others('host'), 'same', { repairs: 1, pauseMs: 400 }, 400],
  ['a usual write soon after', {}, null, 'new', { repairs: 1, pauseMs: 400 }, null],
  ['a fourth repair', whole, others('host'), 'same', { repairs: 3, pauseMs: 0 }, /^SecretContested /],
];
for (const [name, status, found, value, pace, wanted] of cases) {
  test(`${name}: ${wanted}`, () => {
    const view = { resource: { ...resource(), status }, secret: found, pace };
    const step = writeOrRepair(view, value, entries);
    if (typeof wanted === 'number') return assert.deepEqual(step, { do: 'wait', ms: wanted });
    assert.equal(step.do === 'write-secret' && step.value, value);
    const event = step.do === 'write-secret' ? step.event : undefined;
    if (wanted === null) assert.equal(event, undefined);
    else assert.match(`${event?.reason} ${event?.message}`, wanted);
  });
}

test('each repair has an Event of its own, and a fight has one', () => {
  const changeOf = (revision: string, repairs: number) => {
    const view = { resource: { ...resource(), status: whole }, secret: others('host') };
    const pace = { repairs, pauseMs: 0 };
    const step = writeOrRepair({ ...view, secret: { ...view.secret, revision }, pace }, 'same', entries);
    return step.do === 'write-secret' ? step.event?.change : undefined;
  };
  assert.notDeepEqual(changeOf('1', 0), changeOf('2', 1));
  assert.deepEqual(changeOf('4', 3), changeOf('5', 4));
});

test('pauses double from 1 s to a minute, and begin anew after ten quiet minutes', async () => {
  let now = 5000;
  mock.method(performance, 'now', () => now);
  const announce = mock.fn(async () => {});
  const { backoffOf, note } = createRepairs({ announce });
  const event: Announcement = { type: 'Normal', reason: 'x', message: 'x', change: 1 };
  const [owner, key] = [resource(), { kind: 'ApiKey', namespace: 'qa', name: 'ci' }];
  const pauses: number[] = [];
  for (let i = 0; i < 9; i++) {
    await note(owner, event);
    const { pauseMs } = backoffOf(key);
    pauses.push(pauseMs / 1000);
    now += pauseMs;
  }
  assert.deepEqual(pauses, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
  assert.equal(announce.mock.callCount(), 9);
  assert.deepEqual(backoffOf({ ...key, name: 'other' }), first);
  now += 600_000;
  assert.deepEqual(backoffOf(key), first);
  mock.restoreAll();
});
