import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from './config.ts';
import { refuseUnknownVariables } from './variables.ts';

const link =
  'SANDPOST_SMTP_PORT is the service link that Kubernetes sets for the Service sandpost-smtp, not a port: set enableServiceLinks: false in the pod';

const cases: [title: string, env: Record<string, string>, refusal: string | null][] = [
  [
    'a misspelt setting',
    { SANDPOST_REGISTRATON: 'closed' },
    'SANDPOST_REGISTRATON is not a setting (did you mean SANDPOST_REGISTRATION?)',
  ],
  [
    'the file of a setting that is no secret',
    { SANDPOST_HTTP_PORT_FILE: '/port' },
    'SANDPOST_HTTP_PORT_FILE is not a setting (did you mean SANDPOST_HTTP_PORT?)',
  ],
  ['a name in small letters', { sandpost_http_port: '1' }, null],
  ['an empty variable', { SANDPOST_REGISTRATON: '' }, null],
  ['a setting, and the file of a secret', { SANDPOST_HTTP_PORT: '0', SANDPOST_REDIS_URL_FILE: '/url' }, null],
  ['the variables of a Secret for test jobs', { SANDPOST_URL: 'http://a', SANDPOST_API_KEY: 'sp_' }, null],
  ['the address of a Service as a port', { SANDPOST_SMTP_PORT: 'tcp://10.0.0.1:25' }, link],
  [
    'service links that are no settings',
    {
      SANDPOST_PORT: 'tcp://10.0.0.2:80',
      SANDPOST_API_PORT: 'tcp://10.0.0.2:80',
      SANDPOST_SMTP_SERVICE_HOST: '10.0.0.1',
      SANDPOST_SMTP_SERVICE_PORT: '25',
      SANDPOST_SMTP_SERVICE_PORT_SUBMISSION: '587',
      SANDPOST_SMTP_PORT_25_TCP: 'tcp://10.0.0.1:25',
      SANDPOST_SMTP_PORT_25_TCP_PROTO: 'tcp',
      SANDPOST_SMTP_PORT_25_TCP_PORT: '25',
      SANDPOST_SMTP_PORT_25_TCP_ADDR: '10.0.0.1',
    },
    null,
  ],
  ['variables of others', { HOME: '/root', SANDPOSTER: 'x' }, null],
];

for (const [title, env, refusal] of cases) {
  test(`${title}: ${refusal === null ? 'taken' : 'stops the start'}`, () => {
    const check = () => refuseUnknownVariables(env);
    if (refusal === null) return check();
    assert.throws(check, (error) => error instanceof ConfigError && error.message === refusal);
  });
}
