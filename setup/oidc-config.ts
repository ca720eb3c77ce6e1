import type { OidcConfig } from '#adapters/openid/identity-provider.ts';
import type { GroupTeam } from '#core/teams/join-teams.ts';
import { isLoopbackHost } from './loopback.ts';

/** Settings as they were given. */
type Given = {
  ISSUER: string | null;
  CLIENT_ID: string | null;
  CLIENT_SECRET: string | null;
  SCOPES: string | null;
  ALLOWED_EMAIL_DOMAINS: string[] | null;
  GROUPS_CLAIM: string | null;
  GROUPS: GroupTeam[] | null;
};

const variable = (name: string) => `SANDPOST_OIDC_${name}`;

/** Returns the provider, null where no setting names one, or a sentence that says why the settings contradict each other. */
export function oidcOf(given: Given): OidcConfig | null | string {
  const { ISSUER: issuer, CLIENT_ID: clientId, CLIENT_SECRET: clientSecret } = given;
  const names = Object.entries(given).flatMap(([name, value]) => (value === null ? [] : [name]));
  if (names.length === 0) return null;
  if (issuer === null || clientId === null || clientSecret === null) {
    const missing = ['ISSUER', 'CLIENT_ID', 'CLIENT_SECRET'].filter((name) => !names.includes(name));
    const [first = ''] = names;
    return `${missing.map(variable).join(' and ')} must be set with ${variable(first)}: OpenID Connect needs an issuer, a client ID and a client secret`;
  }
  const { protocol, hostname, search, hash, username } = new URL(issuer);
  if (`${search}${hash}${username}` !== '')
    return `${variable('ISSUER')}: must be a URL without a query, fragment or user name`;
  if (protocol !== 'https:' && !isLoopbackHost(hostname))
    return `${variable('ISSUER')}: must begin with https://, except for a provider on this machine`;
  if (given.GROUPS !== null && given.GROUPS_CLAIM === null)
    return `${variable('GROUPS')} needs ${variable('GROUPS_CLAIM')}, which names the claim that lists the groups`;
  return {
    issuer,
    clientId,
    clientSecret,
    scopes: given.SCOPES ?? 'openid email profile',
    allowedEmailDomains: given.ALLOWED_EMAIL_DOMAINS ?? [],
    groupsClaim: given.GROUPS_CLAIM,
    groupTeams: given.GROUPS ?? [],
  };
}
