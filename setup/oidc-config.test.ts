import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readConfig } from './config.ts';

const read = (values: Record<string, string>) =>
  readConfig(Object.fromEntries(Object.entries(values).map(([name, value]) => [`SANDPOST_${name}`, value])));
const issuer = { OIDC_ISSUER: 'https://login.test/a', OIDC_CLIENT_ID: 'b', OIDC_CLIENT_SECRET: 'c' };

test('the identity provider is read with its defaults, and with all that it may have', () => {
  const oidc = {
    issuer: 'https://login.test/a',
    clientId: 'b',
    clientSecret: 'c',
    scopes: 'openid email profile',
    allowedEmailDomains: [],
    groupsClaim: null,
    groupTeams: [],
  };
  assert.deepEqual(read(issuer).oidc, oidc);
  assert.equal(read({ ...issuer, PASSWORD_SIGN_IN: 'false' }).passwordSignIn, false);
  assert.deepEqual(read({ ...issuer, OIDC_GROUPS_CLAIM: 'groups' }).oidc, { ...oidc, groupsClaim: 'groups' });
  const all = read({
    ...issuer,
    OIDC_SCOPES: ' groups  openid',
    OIDC_ALLOWED_EMAIL_DOMAINS: 'Corp.test, other.test',
    OIDC_GROUPS_CLAIM: 'roles',
    OIDC_GROUPS: 'dev=Shop:member, cn=a=namespace/b:owner,dev=Ops: x:viewer',
  });
  assert.deepEqual(all.oidc, {
    ...oidc,
    scopes: 'groups openid',
    allowedEmailDomains: ['corp.test', 'other.test'],
    groupsClaim: 'roles',
    groupTeams: [
      { group: 'dev', team: 'Shop', role: 'member' },
      { group: 'cn=a', team: 'namespace/b', role: 'owner' },
      { group: 'dev', team: 'Ops: x', role: 'viewer' },
    ],
  });
  for (const OIDC_ISSUER of ['http://localhost:9', 'http://127.0.0.1:9/x', 'http://[::1]:9'])
    assert.equal(read({ ...issuer, OIDC_ISSUER }).oidc?.issuer, OIDC_ISSUER);
});

const unfit: [values: Record<string, string>, sentence: RegExp][] = [
  [
    { OIDC_ISSUER: issuer.OIDC_ISSUER },
    /^SANDPOST_OIDC_CLIENT_ID and SANDPOST_OIDC_CLIENT_SECRET must be set/,
  ],
  [{ OIDC_CLIENT_SECRET: 'c', OIDC_CLIENT_ID: 'b' }, /^SANDPOST_OIDC_ISSUER must be set with SANDPOST_OIDC_/],
  [{ OIDC_GROUPS_CLAIM: 'groups' }, /must be set with SANDPOST_OIDC_GROUPS_CLAIM/],
  [{ OIDC_SCOPES: 'openid' }, /must be set with SANDPOST_OIDC_SCOPES/],
  [{ ...issuer, OIDC_ISSUER: 'http://login.test' }, /^SANDPOST_OIDC_ISSUER: must begin with https:/],
  [{ ...issuer, OIDC_ISSUER: 'http://127.0.0.1.evil.test' }, /must begin with https:/],
  [{ ...issuer, OIDC_ISSUER: 'https://login.test?a=b' }, /without a query/],
  [{ ...issuer, OIDC_ISSUER: 'https://me@login.test' }, /without a query, fragment or user name/],
  [{ ...issuer, OIDC_GROUPS: 'a=b:owner' }, /^SANDPOST_OIDC_GROUPS needs SANDPOST_OIDC_GROUPS_CLAIM/],
  [
    { ...issuer, OIDC_GROUPS: 'a=b:boss' },
    /"a=b:boss" is not group=team:role, where the role is one of viewer, member, owner/,
  ],
  [{ ...issuer, OIDC_GROUPS: 'a:owner' }, /"a:owner" is not group=team:role/],
  [{ ...issuer, OIDC_SCOPES: 'email' }, /"email" is not a list of scopes/],
  [{ ...issuer, OIDC_SCOPES: 'openid "a"' }, /is not a list of scopes/],
  [{ PASSWORD_SIGN_IN: 'false' }, /^SANDPOST_PASSWORD_SIGN_IN=false needs SANDPOST_OIDC_ISSUER/],
];
for (const [values, sentence] of unfit) {
  test(`${Object.keys(values).join(', ')}: ${sentence.source}`, () => {
    assert.throws(() => read(values), { name: 'ConfigError', message: sentence });
  });
}
