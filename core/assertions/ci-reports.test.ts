import assert from 'node:assert/strict';
import { test } from 'node:test';
import { githubAnnotations, githubSummary, gitlabReport, logLine } from './ci-reports.ts';
import { junitReport, type ReportedAssertion } from './junit.ts';

const hostile = 'a%\r\n::add-mask::x\n\n##[error]y\u001b[31m<script>`|&"\ud800 # [z](http://x) @all\u202e';
const failed = (name: string, actual: string | null): ReportedAssertion => ({
  ...{ name, seconds: 0, near: ['near miss: message 7 to a@b.test, "x", fails subject'] },
  clauses: [
    { name: 'subject', passed: true, expected: 'a', actual: 'a' },
    { name: 'text', passed: false, expected: 'Hello', actual },
  ],
});
const passed: ReportedAssertion = { name: 'good', seconds: 0, clauses: [] };

test('an annotation is one command, whatever the mail says', () => {
  assert.equal(
    githubAnnotations('a,b:c.json', [passed, failed('x,y: z', null)]),
    '::error file=a%2Cb%3Ac.json,title=x%2Cy%3A z::text: expected Hello, actual nothing%0Anear miss: message 7 to a@b.test, "x", fails subject\n',
  );
  const lines = githubAnnotations('mails.json', [failed(hostile, hostile)]).split('\n');
  assert.equal(lines.length, 2);
  assert.match(lines[0] ?? '', /^::error file=/);
  assert.doesNotMatch(lines[0] ?? '', /##\[|[\p{Cc}\u202e]/u);
  assert.equal(githubAnnotations('f', [passed]), '');
  assert.equal(githubAnnotations('f', Array(50).fill(failed('x', ''))).split('\n').length, 11);
  assert.doesNotMatch(logLine('a ##[group] ####vso[task.complete]x'), /##/);
});

test('a summary has no Markdown and no HTML of a mail, and an end', () => {
  const summary = githubSummary(hostile, [passed, failed(hostile, hostile)]);
  assert.match(summary, /: 1 passed, 1 failed<\/p>\n<table>\n/);
  assert.ok(summary.includes('&lt;script&gt;`|&amp;&quot;'), summary);
  assert.doesNotMatch(summary.trimEnd(), /<script>|\n\n|[\p{Cf}]/u);
  const long = githubSummary('f', Array(10_000).fill(failed('&'.repeat(999), '&'.repeat(100_000))));
  assert.ok(long.length < 1024 * 1024 && long.includes('9900 more'), `${long.length}`);
});

test('a report for GitLab keeps its fingerprints', () => {
  const wrong: ReportedAssertion = { name: 'c', seconds: 1, error: '401: no key' };
  const report = () => JSON.parse(gitlabReport('mails.json', [passed, failed('b', hostile), wrong]));
  const [first, second, ...others] = report();
  assert.deepEqual(others, []);
  assert.equal(second.description, 'c: evaluate: 401: no key');
  assert.deepEqual(first.location, { path: 'mails.json', lines: { begin: 1 } });
  assert.match(first.fingerprint, /^[0-9a-f]{64}$/);
  assert.notEqual(first.fingerprint, second.fingerprint);
  assert.deepEqual(report()[0], first);
  const [alone] = JSON.parse(gitlabReport('mails.json', [failed('x', 'y'), failed('b', hostile)])).slice(1);
  assert.equal(alone.fingerprint, first.fingerprint);
  const twice = JSON.parse(gitlabReport('mails.json', [failed('b', '1'), failed('b', '2')]));
  assert.notEqual(twice[0].fingerprint, twice[1].fingerprint);
});

test('a report of JUnit has near misses', () => {
  assert.match(
    junitReport([failed('b', '<')]),
    /<system-out>near miss: message 7 to a@b\.test, &quot;x&quot;, fails subject<\/system-out>\n {2}<\/testsuite>/,
  );
});
