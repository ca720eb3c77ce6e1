import assert from 'node:assert/strict';
import { test } from 'node:test';
import { nameOfLink } from './link-names.ts';

const cases: [url: string, subject: string, name: string][] = [
  ['https://app.test/reset?t=1', 'Hello', 'Reset link'],
  ['https://app.test/u/verify/1', 'Reset your password', 'Verify link'],
  ['https://app.test/r/8f2', 'Reset your password', 'Reset link'],
  ['https://login.test/x', 'You are invited', 'Invitation link'],
  ['https://app.test/sign-in?t=1', '', 'Sign-in link'],
  ['https://confirm.test/x', 'Hello', 'Link'],
];
for (const [url, subject, name] of cases)
  test(`${url} in “${subject}” is a “${name}”`, () => assert.equal(nameOfLink(url, subject), name));
