import { readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { hostname } from 'node:os';
import type { OidcConfig } from '#adapters/openid/identity-provider.ts';
import { ownEmail } from '#core/access/bootstrap.ts';
import { parseEmail } from '#core/access/email.ts';
import { basePathOf } from './base-path.ts';
import { isLoopbackHost } from './loopback.ts';
import { type Setting, settings, type Values } from './settings.ts';

/** Certificate of the SMTP listeners: PEM files, or a certificate that is created at startup. */
export type SmtpTls = { certFile: string; keyFile: string } | 'self-signed';

/** Error for a setting that is invalid or contradicts another. The error message is one line that names the setting. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

type Env = Record<string, string | undefined>;

/** Settings, typed and frozen. `settings.ts` lists them with their values. */
export type Config = Readonly<ReturnType<typeof configOf>>;

/**
 * Reads the settings. An option (`http-port`) overrides a variable (`SANDPOST_HTTP_PORT`). For a secret, a variable overrides the
 * file that `SANDPOST_…_FILE` names. An empty variable counts as not set. Throws ConfigError.
 */
export function readConfig(env: Env, options: Env = {}): Config {
  const values = settings.map((setting) => [setting.key, readSetting(setting, env, options)]);
  return Object.freeze(configOf(Object.fromEntries(values) as Values));
}

/** Adds values that are derived from several settings. */
function configOf(values: Values) {
  const baseUrl = withoutSlash(values.baseUrl);
  const { origin, hostname: host } = new URL(baseUrl);
  const cluster = together('MONGODB_URI', values.mongodbUri, 'REDIS_URL', values.redisUrl);
  const previews = together(
    'PREVIEW_SELECTOR',
    values.previewSelector,
    'PREVIEW_DOMAIN',
    values.previewDomain,
  );
  if (previews !== null && values.watchNamespaces.length > 0)
    throw new ConfigError('SANDPOST_PREVIEW_SELECTOR needs all namespaces: remove SANDPOST_WATCH_NAMESPACES');
  if (values.namespaceSelector !== null && values.watchNamespaces.length > 0)
    throw new ConfigError('set SANDPOST_NAMESPACE_SELECTOR or SANDPOST_WATCH_NAMESPACES, not both');
  const files = together(
    'SMTP_TLS_CERT_FILE',
    values.smtpTlsCertFile,
    'SMTP_TLS_KEY_FILE',
    values.smtpTlsKeyFile,
  );
  const oidc = oidcOf(values);
  if (!values.passwordSignIn && oidc === null)
    throw new ConfigError(
      'SANDPOST_PASSWORD_SIGN_IN=false needs SANDPOST_OIDC_ISSUER: otherwise nobody could sign in',
    );
  const [smtpHost = '', smtpPort = ''] = (values.clientSmtp ?? `${host}:25`).split(':');
  return {
    ...values,
    baseUrl,
    /** Path of the base URL, under which a proxy serves Sandpost, or empty. */
    basePath: basePathOf(baseUrl),
    smtpConnections: {
      connections: values.smtpMaxConnections,
      connectionsPerAddress: values.smtpMaxConnectionsPerAddress,
    },
    smtpTls: smtpTlsOf(values, files && { certFile: files[0], keyFile: files[1] }),
    cluster: cluster && { mongodbUri: cluster[0], redisUrl: cluster[1] },
    mxHosts: values.mxHosts ?? [host.toLowerCase()],
    previews: previews && { selector: previews[0], domain: previews[1] },
    outbound: outboundOf(values.outbound, values.outboundNetworks),
    quotas: {
      domains: values.maxDomains,
      accounts: values.maxAccounts,
      storageBytes: values.maxStorageLimit,
    },
    oidc,
    allowedOrigins: [origin, ...values.allowedOrigins],
    podName: values.podName ?? `${hostname()}-${process.pid}`,
    /** Addresses of the API and of the listener, for the Secrets of ApiKeys. */
    clientAddresses: {
      SANDPOST_URL: withoutSlash(values.clientUrl ?? baseUrl),
      SANDPOST_SMTP_HOST: smtpHost,
      SANDPOST_SMTP_PORT: smtpPort,
      ...(values.clientSmtpsPort !== null && { SANDPOST_SMTPS_PORT: String(values.clientSmtpsPort) }),
    },
    bootstrap: bootstrapOf(values),
  };
}

// Bounded: the input is a setting.
const withoutSlash = (url: string) => url.replace(/\/+$/, '');

/** Returns both values, or null if neither is set. */
function together(name: string, value: string | null, other: string, otherValue: string | null) {
  if ((value === null) !== (otherValue === null)) {
    throw new ConfigError(`SANDPOST_${name} and SANDPOST_${other} must be set together`);
  }
  return value === null || otherValue === null ? null : ([value, otherValue] as const);
}

const oidcNeeds = ['oidcIssuer', 'oidcClientId', 'oidcClientSecret'];

/** Returns the identity provider, or null if the settings name none. */
function oidcOf(values: Values): OidcConfig | null {
  const { oidcIssuer: issuer, oidcClientId: clientId, oidcClientSecret: clientSecret } = values;
  const given = settings.filter(({ key }) => key.startsWith('oidc') && values[key as keyof Values] !== null);
  const [first] = given;
  if (first === undefined) return null;
  if (issuer === null || clientId === null || clientSecret === null) {
    const missing = settings.filter((setting) => oidcNeeds.includes(setting.key) && !given.includes(setting));
    const names = missing.map(({ variable }) => variable).join(' and ');
    throw new ConfigError(
      `${names} must be set with ${first.variable}: OpenID Connect needs an issuer, a client ID and a client secret`,
    );
  }
  const { protocol, hostname, search, hash, username } = new URL(issuer);
  if (`${search}${hash}${username}` !== '')
    throw new ConfigError('SANDPOST_OIDC_ISSUER: must be a URL without a query, fragment or user name');
  if (protocol !== 'https:' && !isLoopbackHost(hostname))
    throw new ConfigError(
      'SANDPOST_OIDC_ISSUER: must begin with https://, except for a provider on this machine',
    );
  if (values.oidcGroups !== null && values.oidcGroupsClaim === null)
    throw new ConfigError(
      'SANDPOST_OIDC_GROUPS needs SANDPOST_OIDC_GROUPS_CLAIM, which names the claim that lists the groups',
    );
  return {
    issuer,
    clientId,
    clientSecret,
    scopes: values.oidcScopes ?? 'openid email profile',
    allowedEmailDomains: values.oidcAllowedEmailDomains ?? [],
    groupsClaim: values.oidcGroupsClaim,
    groupTeams: values.oidcGroups ?? [],
  };
}

/** Returns the addresses that link checks may request, or null if link checks are disabled. */
function outboundOf(mode: 'public' | null, networks: BlockList | null) {
  if (mode === null && networks === null) return null;
  return { isPublic: mode === 'public', networks: networks ?? new BlockList() };
}

function smtpTlsOf(
  { smtpTls: selfSigned, smtpsPort }: Pick<Values, 'smtpTls' | 'smtpsPort'>,
  files: Exclude<SmtpTls, 'self-signed'> | null,
): SmtpTls | null {
  if (files !== null && selfSigned !== null)
    throw new ConfigError('set SANDPOST_SMTP_TLS=self-signed or SANDPOST_SMTP_TLS_CERT_FILE, not both');
  const smtpTls = files ?? selfSigned;
  if (smtpsPort !== null && smtpTls === null)
    throw new ConfigError('SANDPOST_SMTPS_PORT needs SANDPOST_SMTP_TLS or SANDPOST_SMTP_TLS_CERT_FILE');
  return smtpTls;
}

type Bootstrap = { email: string; password: string | null; apiKey: string | null; capture: string | null };

/** User, key and capture account to create at startup, or null. Sandpost's own user has no password. */
function bootstrapOf({
  bootstrapEmail: email,
  bootstrapPassword: password,
  bootstrapApiKey: apiKey,
  bootstrapCapture: capture,
  capture: captureAddress,
}: Values): Bootstrap | null {
  if (capture !== null && captureAddress !== null)
    throw new ConfigError(
      'set SANDPOST_CAPTURE or SANDPOST_BOOTSTRAP_CAPTURE, not both: each names the account for mail to unregistered domains',
    );
  if (email === null && password === null) {
    if (capture !== null) return { email: ownEmail, password: null, apiKey, capture };
    if (apiKey === null) return null;
  }
  if (email === null || password === null) {
    const missing = email === null ? 'EMAIL' : 'PASSWORD';
    throw new ConfigError(
      `SANDPOST_BOOTSTRAP_${missing} is missing: a bootstrap user needs an email and a password`,
    );
  }
  return { email: parseEmail(email) ?? email, password, apiKey, capture };
}

function readSetting(setting: Setting, env: Env, options: Env): unknown {
  const { variable } = setting;
  const option = options[setting.option];
  const given =
    option ?? (env[variable] || (setting.secret ? readSecret(`${variable}_FILE`, env) : undefined));
  const { error, value } = setting.schema.validate(given, { convert: true });
  if (!error) return value;
  const where = option === undefined ? variable : `--${setting.option}`;
  // Messages must never contain a secret's value.
  const reason = setting.secret ? `not a valid value (${setting.help})` : explainRefusal(setting, error);
  throw new ConfigError(`${where}: ${reason}`);
}

function readSecret(variable: string, env: Env): string | undefined {
  const file = env[variable];
  if (!file) return undefined;
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    throw new ConfigError(`${variable}: the file ${file} cannot be read`);
  }
}

type Schema = Setting['schema'];
type Refused = NonNullable<ReturnType<Schema['validate']>['error']>;
type Rule = { name: string; args?: { limit?: number } };
type Described = { type?: string; rules?: Rule[]; allow?: unknown[] };

/** Explains why a value was refused: which values the setting allows, and what it is for. */
function explainRefusal({ schema, help }: Setting, error: Refused): string {
  const cause = error.details[0]?.context?.error;
  // The error of a list names the invalid item.
  return `${cause instanceof Error ? cause.message : `must be ${wanted(schema, error)}`} (${help})`;
}

function wanted(schema: Schema, { details: [detail] }: Refused): string {
  const { type, rules = [], allow = [] }: Described = schema.describe();
  const limitOf = (name: string) => rules.find((rule) => rule.name === name)?.args?.limit;
  const [least, most] = [limitOf('min'), limitOf('max')];
  const range = most === undefined ? `of at least ${least ?? 0}` : `from ${least ?? 0} to ${most}`;
  if (type === 'boolean') return 'true or false';
  if (rules.some(({ name }) => name === 'port')) return 'a port from 0 to 65535';
  if (type === 'number') return `a whole number ${range}`;
  if (detail?.type === 'any.only') return `one of ${allow.join(', ')}`;
  if (detail?.type === 'string.email') return 'an email address';
  if (detail?.type.startsWith('string.uri')) return 'an address such as http://localhost:8080';
  if (detail?.type === 'string.pattern.name') return String(detail.context?.name);
  return `${range.replace('from ', '')} characters long`;
}
