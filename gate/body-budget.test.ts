import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import { BodyBudget } from './body-budget.ts';

const { bodyBytes, bodiesBytes, bodiesBytesPerUser, bodiesBytesPerAddress } = limits.http;

test('an address and a user have a bound each, and get back what they release', () => {
  const budget = new BodyBudget();
  const visitor = budget.open(null, '192.0.2.1');
  assert.equal(visitor.grow(bodiesBytesPerAddress), null);
  assert.equal(budget.open(null, '192.0.2.1').grow(1), 'http.bodiesBytesPerAddress');
  assert.equal(budget.open(null, '192.0.2.2').grow(1), null);
  visitor.release();
  visitor.release();
  assert.equal(budget.open(null, '192.0.2.1').grow(bodiesBytesPerAddress), null);
  const user = new BodyBudget().open(7, '192.0.2.1');
  assert.equal(user.grow(bodiesBytesPerUser), null);
  assert.equal(user.grow(1), 'http.bodiesBytesPerUser');
});

test('holders of large bodies never shut out a small body of another, and share the bound', () => {
  const budget = new BodyBudget();
  const piece = bodyBytes;
  let held = 0;
  for (let user = 1; user <= 50; user += 1) {
    const share = budget.open(user, '');
    assert.equal(share.grow(piece), null, `user ${user}`);
    held += piece;
    while (share.grow(piece) === null) held += piece;
    assert.ok(held <= bodiesBytes + user * bodyBytes, `${held}`);
  }
});

test('two users may send 25 MiB each at a time', () => {
  const budget = new BodyBudget();
  const size = 25 * 1024 * 1024;
  assert.deepEqual(
    [1, 2].map((user) => budget.open(user, '').grow(size)),
    [null, null],
  );
});
