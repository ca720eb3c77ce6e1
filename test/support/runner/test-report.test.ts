import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TestEvent } from 'node:test/reporters';
import { type Attempt, TestReport } from './test-report.ts';

const failure: Extract<TestEvent, { type: 'test:fail' }> = {
  type: 'test:fail',
  data: {
    name: 'a race',
    nesting: 0,
    testNumber: 1,
    testId: 0,
    parentId: 0,
    tags: [],
    details: { duration_ms: 1, error: Object.assign(new Error('lost'), { cause: new Error('lost') }) },
  },
};
const failed: Attempt = { events: [failure], sums: new Map([['fail', 1]]), ok: false };
const passed: Attempt = { events: [], sums: new Map([['pass', 1]]), ok: true };

/** Returns the messages of events that are not test results. */
const messages = (events: Iterable<TestEvent>) =>
  [...events].flatMap(({ type, data }) => (type === 'test:diagnostic' ? [data.message] : []));

test('a second run that passes counts, and the failure of the first one is told', () => {
  const report = new TestReport();
  const [told = '', ...more] = messages(report.failedFirst(failed));
  assert.match(told, /^failed in the first run: a race: Error: lost/);
  assert.deepEqual(more, []);
  assert.deepEqual([...report.addSecond(passed)], []);
  assert.equal(report.ok, true);
  const sums = messages(report.close());
  assert.ok(sums.includes('pass 1') && sums.includes('passed_again 1') && !sums.includes('fail 1'));
});

test('a second run that fails is a failure', () => {
  const report = new TestReport();
  assert.deepEqual([...report.addSecond(failed)], [failure]);
  assert.equal(report.ok, false);
  assert.ok(messages(report.close()).includes('fail 1'));
});
