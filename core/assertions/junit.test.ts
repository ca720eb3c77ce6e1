import assert from 'node:assert/strict';
import { test } from 'node:test';
import { junitReport } from './junit.ts';

test('an assertion is a suite, and a clause a test case', () => {
  const passed = {
    name: 'subject contains "Welcome"',
    passed: true,
    expected: 'Welcome',
    actual: 'Welcome, Ada',
  };
  const failed = { name: 'code', passed: false, expected: '1', actual: null };
  assert.equal(
    junitReport([{ name: 'sign-up', seconds: 1.25, clauses: [passed, failed] }]),
    `<?xml version="1.0" encoding="UTF-8"?>
<testsuites>
  <testsuite name="sign-up" tests="2" failures="1" errors="0" skipped="0" time="1.250">
    <testcase name="subject contains &quot;Welcome&quot;" classname="sign-up" time="1.250"/>
    <testcase name="code" classname="sign-up" time="0.000">
      <failure message="expected: 1; actual: nothing" type="failure">code
expected: 1
actual:   nothing</failure>
    </testcase>
  </testsuite>
</testsuites>
`,
  );
});

test('an assertion that could not be evaluated is an error', () => {
  const report = junitReport([{ name: 'sign-up', seconds: 0, error: '401: no key' }]);
  assert.match(report, /tests="1" failures="0" errors="1"/);
  assert.match(report, /<error message="401: no key" type="error"\/>/);
});

test('a text of a mail stays text: escaped, without characters that XML does not have', () => {
  const actual = 'a\0\u001b[31m<b attr="x">&amp;\ud800\uffff\u007f\r\n\té😀]]>';
  const report = junitReport([
    { name: 'x', seconds: 0, clauses: [{ name: 'y', passed: false, expected: '', actual }] },
  ]);
  assert.ok(report.isWellFormed());
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the test looks for them
  assert.doesNotMatch(report, /[\0-\x08\x0b\x0c\x0e-\x1f\x7f\uffff]/);
  assert.ok(
    report.includes(
      'message="expected: ; actual: a��[31m&lt;b attr=&quot;x&quot;&gt;&amp;amp;���&#13;&#10;&#9;é😀]]&gt;"',
    ),
    report,
  );
});
