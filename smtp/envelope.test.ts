import assert from 'node:assert/strict';
import { test } from 'node:test';
import { badParameter } from './envelope.ts';

const cases: [command: string, bad: string | null][] = [
  ['MAIL FROM:<s@s.test>', null],
  ['MAIL FROM:<s@s.test> RET=FULL ENVID=QQ+2B314 SIZE=3', null],
  [`MAIL FROM:<s@s.test> ENVID=${'a'.repeat(100)}`, null],
  [`MAIL FROM:<s@s.test> envid=${'a'.repeat(101)}`, 'ENVID'],
  ['MAIL FROM:<s@s.test> ENVID=a+zz', 'ENVID'],
  ['MAIL FROM:<s@s.test> ENVID=a+2b', 'ENVID'],
  ['MAIL FROM:<s@s.test> ENVID=a=b', 'ENVID'],
  ['RCPT TO:<r@r.test> NOTIFY=SUCCESS,DELAY ORCPT=rfc822;a+2Bb@r.test', null],
  ['RCPT TO:<r@r.test> NOTIFY=success,SUCCESS', 'NOTIFY'],
  ['RCPT TO:<r@r.test> ORCPT=rfc822;a+', 'ORCPT'],
  ['RCPT TO:<r@r.test> ORCPT=rfc822;a>b ENVID=+', 'ENVID'],
  [`RCPT TO:<r@r.test> ORCPT=rfc822;${'a'.repeat(493)}`, null],
  [`RCPT TO:<r@r.test> ORCPT=rfc822;${'a'.repeat(494)}`, 'ORCPT'],
];

for (const [command, bad] of cases) {
  test(`${command.slice(0, 70)}: ${bad ?? 'good'}`, () => assert.equal(badParameter(command), bad));
}
