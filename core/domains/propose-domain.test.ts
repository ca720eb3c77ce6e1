import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ReadScope } from '#core/reads.ts';
import { proposeDomain } from './propose-domain.ts';

/** Ports of a team that may register domains under suffixes that every team has. */
const allowing = (suffixes: string[]) => ({
  teams: { find: async () => null },
  domainSuffixes: suffixes.map((suffix) => ({ team: null, suffix })),
});

const cases: [email: string, suffixes: string[], taken: string[], domain: string][] = [
  ['ada@example.com', [], [], 'ada.test'],
  ['Ada.Lovelace+qa@example.com', [], [], 'ada-lovelace.test'],
  ['Checkout & Co.', [], [], 'checkout-co.test'],
  ['namespace/shop-staging', [], [], 'shop-staging.test'],
  ['__@example.com', [], [], 'app.test'],
  ['ü@example.com', [], [], 'app.test'],
  [`${'a'.repeat(49)}.b@example.com`, [], [], `${'a'.repeat(49)}.test`],
  ['ada@example.com', ['staging.example.com', 'test'], [], 'ada.staging.example.com'],
  ['ada@example.com', [], ['ada.test', 'ada-2.test'], 'ada-3.test'],
];

for (const [email, domainSuffixes, taken, domain] of cases) {
  test(`${email} is offered ${domain}`, async () => {
    const rows = {
      read: async (_: string, { domain = '' }: ReadScope) => !taken.includes(String(domain)) as never,
    };
    assert.equal(
      await proposeDomain({ rows, ...allowing(domainSuffixes) }, { team: 1, name: email }),
      domain,
    );
  });
}

test('a random name is proposed where all others are taken', async () => {
  const ports = { rows: { read: async () => false as never }, ...allowing(['example.com']) };
  assert.match(await proposeDomain(ports, { team: 1, name: 'ada@x.test' }), /^[0-9a-f]{16}\.example\.com$/);
});
