import assert from 'node:assert/strict';
import { test } from 'node:test';
import { localPath } from './local-path.ts';

const cases: [given: string, wanted: string][] = [
  ['/', '/'],
  ['/mail/all/7?q=a%20b#top', '/mail/all/7?q=a%20b#top'],
  ['/a/../manage/you', '/manage/you'],
  ['/mail?q="<x>', '/mail?q=%22%3Cx%3E'],
  ['', '/'],
  ['mail', '/'],
  ['//evil.example', '/'],
  ['///evil.example', '/'],
  ['/\\evil.example', '/'],
  ['\\\\evil.example', '/'],
  ['/\t/evil.example', '/'],
  ['/\n\\evil.example', '/'],
  [' //evil.example', '/'],
  ['/.//evil.example', '/'],
  ['/a/..//evil.example', '/'],
  ['/%2e//evil.example', '/'],
  ['https://evil.example/', '/'],
  ['javascript:alert(1)', '/'],
  ['//local.invalid/mail', '/mail'],
  [`/${'a'.repeat(1023)}`, `/${'a'.repeat(1023)}`],
  [`/${'a'.repeat(1024)}`, '/'],
];
for (const [given, wanted] of cases) {
  test(`${JSON.stringify(given.slice(0, 30))} leads to ${wanted.slice(0, 30)}`, () => {
    assert.equal(localPath(given), wanted);
    assert.equal(new URL(wanted, 'https://sandpost.test').origin, 'https://sandpost.test');
  });
}
