import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError, readConfig } from './config.ts';

const cases: [name: string, value: string, message: string][] = [
  ['HTTP_PORT', '99999', 'must be a port, 0 to 65535 (port of the API and the page)'],
  ['SMTP_PORT', 'smtp', 'must be a port, 0 to 65535 (port of the SMTP listener)'],
  ['RETENTION_DAYS', 'x', 'must be a whole number from 1 to 90 (days that a message is kept, 1 to 90)'],
  ['RETENTION_DAYS', '1.5', 'must be a whole number from 1 to 90 (days that a message is kept, 1 to 90)'],
  ['RETENTION_DAYS', '91', 'must be a whole number from 1 to 90 (days that a message is kept, 1 to 90)'],
  ['MAX_DOMAINS', '0', 'must be a whole number of at least 1 (domains that a team may have)'],
  [
    'MAX_MESSAGE_BYTES',
    '1e30',
    'must be a whole number from 1024 to 134217728 (largest message accepted, bytes)',
  ],
  [
    'REQUIRE_VERIFIED',
    'maybe',
    'must be true or false (true: mail waits (450) until its domain is verified)',
  ],
  ['REGISTRATION', 'ajar', 'must be one of open, closed (registration of new users: open or closed)'],
  [
    'BASE_URL',
    'localhost',
    'must be an address such as http://localhost:8080 (address under which people and jobs reach the API, with the path of a proxy, if it has one; makes absolute URLs)',
  ],
  [
    'BASE_URL',
    'https://host/api',
    'must not have a path that begins with /api, as paths of Sandpost itself do (address under which people and jobs reach the API, with the path of a proxy, if it has one; makes absolute URLs)',
  ],
  [
    'BOOTSTRAP_EMAIL',
    'nobody',
    'must be an e-mail address (user that is created at start if missing; needs BOOTSTRAP_PASSWORD)',
  ],
  [
    'CLIENT_SMTP',
    'mail',
    'must be host:port (operator: host:port of the SMTP listener in Secrets; default: host of BASE_URL, 25)',
  ],
  [
    'MX_HOSTS',
    'a b',
    '"a b" is not a host name (names that an MX record may point at, comma-separated; default: host of the base URL)',
  ],
  ['BOOTSTRAP_PASSWORD', 'short', "cannot be taken (that user's password, 10 to 256 characters)"],
  [
    'POD_NAME',
    'x'.repeat(254),
    'must be a text of 0 to 253 characters (operator: name in the Lease, unique among operators; default: host and process)',
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
