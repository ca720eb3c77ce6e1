import assert from 'node:assert/strict';
import { test } from 'node:test';
import { limits } from '#core/limits.ts';
import { BodyBudget } from './body-budget.ts';

const { bodiesBytes, bodiesBytesPerUser, bodiesBytesPerAddress } = limits.http;
const unexpected = () => assert.fail('given up');

test('an address and a user have a bound each, and get back what they release', () => {
  const budget = new BodyBudget();
  const visitor = budget.open(null, '192.0.2.1', unexpected);
  assert.equal(visitor.grow(bodiesBytesPerAddress), null);
  assert.equal(budget.open(null, '192.0.2.1', unexpected).grow(1), 'http.bodiesBytesPerAddress');
  assert.equal(budget.open(null, '192.0.2.2', unexpected).grow(1), null);
  const user = budget.open(7, '192.0.2.1', unexpected);
  assert.equal(user.grow(bodiesBytesPerUser), null);
  assert.equal(budget.open(7, '192.0.2.3', unexpected).grow(1), 'http.bodiesBytesPerUser');
  visitor.release();
  visitor.release();
  assert.equal(budget.open(null, '192.0.2.1', unexpected).grow(bodiesBytesPerAddress), null);
});

test('at the bound of the process the largest body of the largest holder makes room', () => {
  const budget = new BodyBudget();
  const given: string[] = [];
  const open = (user: number, name: string) => budget.open(user, '', () => given.push(name));
  const half = bodiesBytes / 2;
  assert.equal(open(1, 'first').grow(half - 2), null);
  assert.equal(open(2, 'small').grow(1), null);
  assert.equal(open(2, 'large').grow(half - 1), null);
  assert.equal(open(3, 'newcomer').grow(64 * 1024), null);
  assert.deepEqual(given, ['large']);
});

test('a body that has arrived is not given up, and the largest holder is refused', () => {
  const budget = new BodyBudget();
  const arrived = budget.open(1, '', unexpected);
  assert.equal(arrived.grow(bodiesBytes / 2), null);
  arrived.receiving = false;
  const other = budget.open(2, '', unexpected);
  assert.equal(other.grow(bodiesBytes / 2), null);
  assert.equal(other.grow(1), 'http.bodiesBytesPerUser');
  other.receiving = false;
  assert.equal(budget.open(3, '', unexpected).grow(1), 'http.bodiesBytes');
});
