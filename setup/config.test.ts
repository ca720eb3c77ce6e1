import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readConfig } from './config.ts';

const cases: [name: string, value: string, message: string][] = [
  [
    'HTTP_PORT',
    '99999',
    'must be a port from 0 to 65535 (port for the API and the page; 0 picks a free one)',
  ],
  [
    'SMTP_PORT',
    'smtp',
    'must be a port from 0 to 65535 (port for the SMTP listener. In an api process, the port that the page shows to senders)',
  ],
  ['RETENTION_DAYS', 'x', 'must be a whole number from 1 to 90 (days before a message is deleted, 1 to 90)'],
  [
    'RETENTION_DAYS',
    '1.5',
    'must be a whole number from 1 to 90 (days before a message is deleted, 1 to 90)',
  ],
  ['RETENTION_DAYS', '91', 'must be a whole number from 1 to 90 (days before a message is deleted, 1 to 90)'],
  ['MAX_DOMAINS', '0', 'must be a whole number of at least 1 (domains per team)'],
  [
    'MAX_MESSAGE_BYTES',
    '1e30',
    'must be a whole number from 1024 to 134217728 (largest accepted message, in bytes)',
  ],
  [
    'REQUIRE_VERIFIED',
    'maybe',
    'must be true or false (whether to defer mail (450) until its domain is verified)',
  ],
  ['REGISTRATION', 'ajar', 'must be one of open, closed (user registration: open or closed)'],
  [
    'BASE_URL',
    'localhost',
    'must be an address such as http://localhost:8080 (public URL of the API and the page, including any path that a proxy adds. Absolute URLs begin with it, and pages from its origin may use the session cookie)',
  ],
  [
    'BASE_URL',
    'https://host/api',
    'must not have a path that begins with /api, which Sandpost reserves (public URL of the API and the page, including any path that a proxy adds. Absolute URLs begin with it, and pages from its origin may use the session cookie)',
  ],
  [
    'BOOTSTRAP_EMAIL',
    'nobody',
    'must be an email address (email address of a user created at startup if missing. Needs BOOTSTRAP_PASSWORD)',
  ],
  ['CLIENT_SMTP', 'mail', 'must be host:port (operator: host:port of the SMTP listener in Secrets)'],
  ['MX_HOSTS', 'a b', '"a b" is not a host name (comma-separated names that an MX record may point to)'],
  ['BOOTSTRAP_PASSWORD', 'short', "not a valid value (that user's password, 10 to 256 characters)"],
  [
    'POD_NAME',
    'x'.repeat(254),
    'must be 0 to 253 characters long (operator: name in the Lease, unique among operators)',
  ],
];

for (const [name, value, message] of cases) {
  test(`SANDPOST_${name} is refused in our own words: ${value.slice(0, 20)}`, () => {
    const variable = `SANDPOST_${name}`;
    assert.throws(
      () => readConfig({ [variable]: value }),
      (error) => {
        assert.ok(error instanceof ConfigError);
        assert.equal(error.message, `${variable}: ${message}`);
        return true;
      },
    );
  });
}
