import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Invalid, invalid, refuseForeignManager, requireRoom } from './errors.ts';
import { limits } from './limits.ts';

const violations = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ field: `f${i}`, message: 'is wrong' }));

test('the first violations are kept, and the limit that cut them is named', () => {
  const most = limits.http.violations;
  const whole = new Invalid(violations(most), ['owned.domains']);
  assert.deepEqual([whole.violations.length, whole.limits], [most, ['owned.domains']]);
  const cut = new Invalid(violations(most + 1), ['owned.domains']);
  assert.deepEqual([cut.violations, cut.limits], [violations(most), ['owned.domains', 'http.violations']]);
  assert.equal(new Invalid(violations(2)).message, 'f0: is wrong; f1: is wrong');
  assert.deepEqual(new Invalid(violations(2)).limits, []);
  assert.deepEqual(invalid('a', 'is wrong', 'owned.domains').limits, ['owned.domains']);
});

test('what is beyond a quota is invalid, and names the quota', () => {
  const quota = { field: 'domain', limit: 'owned.domains', most: 7, things: 'domains' } as const;
  requireRoom(6, quota);
  requireRoom(7, { ...quota, most: undefined });
  assert.throws(
    () => requireRoom(7, quota),
    (error) => {
      assert.ok(error instanceof Invalid);
      const message = 'the limit of 7 domains has been reached';
      assert.deepEqual(error.violations, [{ field: 'domain', message }]);
      assert.deepEqual(error.limits, ['owned.domains']);
      return true;
    },
  );
});

test('a thing is changed by its manager alone', () => {
  refuseForeignManager(null, null, 'domain');
  refuseForeignManager('team/a', 'team/a', 'domain');
  assert.throws(
    () => refuseForeignManager(null, 'team/a', 'domain'),
    /^Invalid: domain: is managed by the API$/,
  );
  for (const manager of [null, 'team/b'])
    assert.throws(
      () => refuseForeignManager('team/a', manager, 'domain'),
      /is managed by the Kubernetes resource team\/a; change it there/,
    );
});
