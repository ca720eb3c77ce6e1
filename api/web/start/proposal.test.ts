import assert from 'node:assert/strict';
import { test } from 'node:test';
import { proposeDomain } from './proposal.ts';

const cases: [string, string][] = [
  ['ada@example.com', 'ada.test'],
  ['Ada.Lovelace+qa@example.com', 'ada-lovelace.test'],
  ['namespace/shop-staging', 'shop-staging.test'],
  ['__@example.com', 'app.test'],
  ['ü@example.com', 'app.test'],
  [`${'a'.repeat(62)}.b@example.com`, `${'a'.repeat(62)}.test`],
];

for (const [email, domain] of cases) {
  test(`${email} is offered ${domain}`, () => assert.equal(proposeDomain(email), domain));
}
