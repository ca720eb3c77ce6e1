import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Verification } from './domain.ts';
import { judgeMx, type MxAnswer, unverified, verifiedByHand } from './verdict.ts';

const now = new Date('2026-11-21T10:00:00Z');
const pace = { pendingMs: 60_000, settledMs: 600_000 };
const pending = unverified(new Date('2026-11-21T09:59:00Z'));
const verified: Verification = { ...pending, status: 'verified', source: 'mx' };
const failed: Verification = { ...pending, status: 'failed', refusals: 3 };

const here: MxAnswer = { kind: 'hosts', hosts: [{ priority: 10, exchange: 'mx.here.test' }] };
const both: MxAnswer = { kind: 'hosts', hosts: [{ priority: 5, exchange: 'mx.other.test' }, ...here.hosts] };
const elsewhere: MxAnswer = { kind: 'hosts', hosts: [{ priority: 10, exchange: 'mx.other.test' }] };
const nothing: MxAnswer = { kind: 'none', detail: 'no such domain' };
const silence: MxAnswer = { kind: 'unknown', detail: 'SERVFAIL' };

/** Previous verification, and the answer. Then status, source, refusals, and seconds until the next check. */
const cases: [string, Verification, MxAnswer, [string, string | null, number, number]][] = [
  ['a pending domain whose MX is here is verified', pending, here, ['verified', 'mx', 0, 600]],
  ['one of several targets is enough', pending, both, ['verified', 'mx', 0, 600]],
  ['another target is a no', pending, elsewhere, ['pending', null, 1, 60]],
  ['no MX is a no', { ...pending, refusals: 1 }, nothing, ['pending', null, 2, 60]],
  ['the third no in a row fails', { ...pending, refusals: 2 }, nothing, ['failed', null, 3, 600]],
  [
    'an answer that cannot be relied on changes nothing',
    { ...pending, refusals: 2 },
    silence,
    ['pending', null, 2, 60],
  ],
  ['nor does it for a verified one', verified, silence, ['verified', 'mx', 0, 600]],
  ['a verified domain outlives one no', verified, elsewhere, ['verified', 'mx', 1, 600]],
  ['and a second', { ...verified, refusals: 1 }, nothing, ['verified', 'mx', 2, 600]],
  ['but not a third', { ...verified, refusals: 2 }, elsewhere, ['failed', null, 3, 600]],
  ['a good answer clears the noes', { ...verified, refusals: 2 }, here, ['verified', 'mx', 0, 600]],
  ['a failed domain comes back', failed, here, ['verified', 'mx', 0, 600]],
  ['a failed domain stays so', failed, nothing, ['failed', null, 4, 600]],
  ['silence does not revive it', failed, silence, ['failed', null, 3, 600]],
];

for (const [name, before, answer, [status, source, refusals, pause]] of cases) {
  test(name, () => {
    const after = judgeMx(before, answer, ['mx.here.test'], now, pace);
    const nextCheckAt = new Date(now.getTime() + pause * 1000);
    assert.deepEqual(
      { ...after, detail: null },
      { status, source, refusals, detail: null, checkedAt: now, nextCheckAt },
    );
    assert.ok(after.detail);
  });
}

test('a verification by hand is never taken back by a check', () => {
  assert.deepEqual(judgeMx(verifiedByHand(), nothing, ['mx.here.test'], now, pace), verifiedByHand());
});

test('the detail names what was found, and what is expected', () => {
  const detailAfter = (answer: MxAnswer) =>
    judgeMx(pending, answer, ['mx.here.test', 'mx2.here.test'], now, pace).detail;
  assert.equal(detailAfter(nothing), 'no such domain; expected mx.here.test or mx2.here.test');
  assert.equal(detailAfter(elsewhere), 'MX points at mx.other.test, not at mx.here.test or mx2.here.test');
  assert.equal(detailAfter(both), 'MX points at mx.here.test');
  assert.equal(detailAfter(silence), 'SERVFAIL');
});
