import { readFileSync } from 'node:fs';
import { BlockList } from 'node:net';
import { hostname } from 'node:os';
import type { OidcConfig } from '#adapters/openid/identity-provider.ts';
import { ownEmail } from '#core/access/bootstrap.ts';
import { parseEmail } from '#core/access/email.ts';
import type { Quotas } from '#core/limits.ts';
import { basePathOf } from './base-path.ts';
import { oidcOf } from './oidc-config.ts';
import { optionOf, type Setting, settings, variableOf } from './settings.ts';

/** Certificate of the SMTP listeners: files in PEM, or one that is made at start. */
export type SmtpTls = { certFile: string; keyFile: string } | 'self-signed';

/** Settings, typed and frozen. `settings.ts` lists their values. */
export type Config = Readonly<{
  baseUrl: string;
  /** Path of the base URL, below which a proxy serves Sandpost; empty without one. */
  basePath: string;
  httpHost: string;
  httpPort: number;
  smtpHost: string;
  smtpPort: number;
  smtpConnections: { connections: number; connectionsPerAddress: number };
  smtpTls: SmtpTls | null;
  /** Port of the listener with implicit TLS, or null for none. */
  smtpsPort: number | null;
  opsPort: number;
  dataDir: string;
  cluster: { mongodbUri: string; redisUrl: string } | null;
  mxHosts: string[];
  dnsServers: string[];
  mxInterval: number | null;
  /** Address of the spam filter, or null. */
  spamUrl: string | null;
  /** Addresses that may be requested for checks of links, or null for none. */
  outbound: { isPublic: boolean; networks: BlockList } | null;
  retentionDays: number;
  maxMessageBytes: number;
  quotas: Quotas;
  requireVerified: boolean;
  /** Address of the account that takes mail for domains that are not registered, or null. */
  captureAddress: string | null;
  /** Suffixes under which domains may be registered; empty for any name. */
  domainSuffixes: string[];
  registration: 'open' | 'closed';
  /** Permission to register and to sign in by password. */
  passwordSignIn: boolean;
  /** Identity provider, or null. */
  oidc: OidcConfig | null;
  allowedOrigins: string[];
  smtpProxyFrom: BlockList | null;
  trustedProxies: BlockList | null;
  rateLimit: number;
  maxWaits: number;
  logLevel: string;
  /** Kubernetes namespaces that the operator watches; empty for all. */
  watchNamespaces: string[];
  /** Name of this process among operators. */
  podName: string;
  /** Name of the Lease that the operators of one installation compete for. */
  leaseName: string;
  /** Identity of the Kubernetes cluster; null where the operator reads it from the cluster. */
  clusterId: string | null;
  /** Grace period of objects whose Kubernetes resource is missing. */
  orphanGracePeriodMs: number;
  /** Addresses of the API and the listener that the Secrets of ApiKeys contain. */
  clientAddresses: { SANDPOST_URL: string; SANDPOST_SMTP_HOST: string; SANDPOST_SMTP_PORT: string };
  /** User, key and capture account to make at the start, or null. A user of its own has no password. */
  bootstrap: {
    email: string;
    password: string | null;
    apiKey: string | null;
    capture: string | null;
  } | null;
}>;

/** Error of a setting that is wrong or contradicts another. The message is one line that names the setting. */
export class ConfigError extends Error {
  override name = 'ConfigError';
}

type Env = Record<string, string | undefined>;

/**
 * Reads the settings. An option (`http-port`) overrides a variable (`SANDPOST_HTTP_PORT`). For a secret, a variable
 * overrides the file that `SANDPOST_…_FILE` names. An empty variable counts as not given. Throws ConfigError.
 */
export function readConfig(env: Env, options: Env = {}): Config {
  const values = new Map(settings.map((setting) => [setting.name, readSetting(setting, env, options)]));
  const get = <T>(name: string) => values.get(name) as T;
  // Bounded: a setting.
  const baseUrl = get<string>('BASE_URL').replace(/\/+$/, '');
  const mongodbUri = get<string | undefined>('MONGODB_URI');
  const redisUrl = get<string | undefined>('REDIS_URL');
  if ((mongodbUri === undefined) !== (redisUrl === undefined)) {
    throw new ConfigError(
      'SANDPOST_MONGODB_URI and SANDPOST_REDIS_URL go together: one is set, the other is not',
    );
  }
  return Object.freeze({
    baseUrl,
    basePath: basePathOf(baseUrl),
    httpHost: get<string>('HTTP_HOST'),
    httpPort: get<number>('HTTP_PORT'),
    smtpHost: get<string>('SMTP_HOST'),
    smtpPort: get<number>('SMTP_PORT'),
    smtpConnections: {
      connections: get<number>('SMTP_MAX_CONNECTIONS'),
      connectionsPerAddress: get<number>('SMTP_MAX_CONNECTIONS_PER_ADDRESS'),
    },
    ...smtpTlsOf(get('SMTP_TLS'), get('SMTP_TLS_CERT_FILE'), get('SMTP_TLS_KEY_FILE'), get('SMTPS_PORT')),
    opsPort: get<number>('OPS_PORT'),
    dataDir: get<string>('DATA_DIR'),
    cluster: mongodbUri !== undefined && redisUrl !== undefined ? { mongodbUri, redisUrl } : null,
    mxHosts: get<string[] | undefined>('MX_HOSTS') ?? [new URL(baseUrl).hostname.toLowerCase()],
    dnsServers: get<string[] | undefined>('DNS_SERVERS') ?? [],
    mxInterval: get<number | undefined>('MX_INTERVAL') ?? null,
    spamUrl: get<string | undefined>('SPAM_URL') ?? null,
    outbound: outboundOf(get('OUTBOUND'), get('OUTBOUND_NETWORKS')),
    retentionDays: get<number>('RETENTION_DAYS'),
    maxMessageBytes: get<number>('MAX_MESSAGE_BYTES'),
    quotas: {
      domains: get<number>('MAX_DOMAINS'),
      accounts: get<number>('MAX_ACCOUNTS'),
      storageBytes: get<number>('MAX_STORAGE_LIMIT'),
    },
    requireVerified: get<boolean>('REQUIRE_VERIFIED'),
    captureAddress: get<string | undefined>('CAPTURE') ?? null,
    domainSuffixes: get<string[] | undefined>('DOMAIN_SUFFIXES') ?? [],
    registration: get<'open' | 'closed'>('REGISTRATION'),
    ...signInOf(get),
    allowedOrigins: [new URL(baseUrl).origin, ...(get<string[] | undefined>('ALLOWED_ORIGINS') ?? [])],
    smtpProxyFrom: get<BlockList | undefined>('SMTP_PROXY_FROM') ?? null,
    trustedProxies: get<BlockList | undefined>('TRUSTED_PROXIES') ?? null,
    rateLimit: get<number>('RATE_LIMIT'),
    maxWaits: get<number>('MAX_WAITS'),
    logLevel: get<string>('LOG_LEVEL'),
    watchNamespaces: get<string[] | undefined>('WATCH_NAMESPACES') ?? [],
    podName: get<string | undefined>('POD_NAME') ?? `${hostname()}-${process.pid}`,
    leaseName: get<string>('LEASE_NAME'),
    clusterId: get<string | undefined>('CLUSTER_ID') ?? null,
    orphanGracePeriodMs: get<number>('ORPHAN_GRACE_PERIOD'),
    clientAddresses: clientAddressesOf(baseUrl, get('CLIENT_URL'), get('CLIENT_SMTP')),
    bootstrap: bootstrapOf(get),
  });
}

function outboundOf(mode?: 'public', networks?: BlockList): Config['outbound'] {
  if (mode === undefined && networks === undefined) return null;
  return { isPublic: mode === 'public', networks: networks ?? new BlockList() };
}

function clientAddressesOf(baseUrl: string, url?: string, smtp?: string): Config['clientAddresses'] {
  const [host = '', port = ''] = (smtp ?? `${new URL(baseUrl).hostname}:25`).split(':');
  return {
    // Bounded: a setting.
    SANDPOST_URL: (url ?? baseUrl).replace(/\/+$/, ''),
    SANDPOST_SMTP_HOST: host,
    SANDPOST_SMTP_PORT: port,
  };
}

function signInOf(get: <T>(name: string) => T): Pick<Config, 'passwordSignIn' | 'oidc'> {
  const oidc = oidcOf({
    ISSUER: get('OIDC_ISSUER'),
    CLIENT_ID: get('OIDC_CLIENT_ID'),
    CLIENT_SECRET: get('OIDC_CLIENT_SECRET'),
    SCOPES: get('OIDC_SCOPES'),
    ALLOWED_EMAIL_DOMAINS: get('OIDC_ALLOWED_EMAIL_DOMAINS'),
    GROUPS_CLAIM: get('OIDC_GROUPS_CLAIM'),
    GROUPS: get('OIDC_GROUPS'),
  });
  if (typeof oidc === 'string') throw new ConfigError(oidc);
  const passwordSignIn = get<boolean>('PASSWORD_SIGN_IN');
  if (!passwordSignIn && oidc === null)
    throw new ConfigError(
      'SANDPOST_PASSWORD_SIGN_IN=false needs SANDPOST_OIDC_ISSUER: without either, nobody could sign in',
    );
  return { passwordSignIn, oidc };
}

function smtpTlsOf(
  selfSigned?: 'self-signed',
  certFile?: string,
  keyFile?: string,
  smtpsPort?: number,
): Pick<Config, 'smtpTls' | 'smtpsPort'> {
  if ((certFile === undefined) !== (keyFile === undefined)) {
    throw new ConfigError(
      'SANDPOST_SMTP_TLS_CERT_FILE and SANDPOST_SMTP_TLS_KEY_FILE go together: one is set, the other is not',
    );
  }
  const files = certFile !== undefined && keyFile !== undefined ? { certFile, keyFile } : null;
  if (files !== null && selfSigned !== undefined)
    throw new ConfigError('SANDPOST_SMTP_TLS=self-signed and SANDPOST_SMTP_TLS_CERT_FILE exclude each other');
  const smtpTls = files ?? selfSigned ?? null;
  if (smtpsPort !== undefined && smtpTls === null)
    throw new ConfigError('SANDPOST_SMTPS_PORT needs SANDPOST_SMTP_TLS or SANDPOST_SMTP_TLS_CERT_FILE');
  return { smtpTls, smtpsPort: smtpsPort ?? null };
}

function bootstrapOf(get: <T>(name: string) => T | undefined): Config['bootstrap'] {
  const email = get<string>('BOOTSTRAP_EMAIL');
  const password = get<string>('BOOTSTRAP_PASSWORD');
  const apiKey = get<string>('BOOTSTRAP_API_KEY') ?? null;
  const capture = get<string>('BOOTSTRAP_CAPTURE') ?? null;
  if (capture !== null && get('CAPTURE') !== undefined)
    throw new ConfigError(
      'SANDPOST_CAPTURE and SANDPOST_BOOTSTRAP_CAPTURE exclude each other: both name the account of mail that is for nobody',
    );
  if (email === undefined && password === undefined) {
    if (capture !== null) return { email: ownEmail, password: null, apiKey, capture };
    if (apiKey === null) return null;
  }
  if (email === undefined || password === undefined) {
    const missing = email === undefined ? 'EMAIL' : 'PASSWORD';
    throw new ConfigError(
      `SANDPOST_BOOTSTRAP_${missing} is missing: a bootstrap user needs an e-mail and a password`,
    );
  }
  return { email: parseEmail(email) ?? email, password, apiKey, capture };
}

function readSetting(setting: Setting, env: Env, options: Env): unknown {
  const variable = variableOf(setting);
  const option = options[optionOf(setting)];
  const given =
    option ?? (env[variable] || (setting.secret ? readSecret(`${variable}_FILE`, env) : undefined));
  const { error, value } = setting.schema.validate(given, { convert: true });
  if (!error) return value;
  const where = option === undefined ? variable : `--${optionOf(setting)}`;
  // Messages never contain the value of a secret.
  const reason = setting.secret ? `cannot be taken (${setting.help})` : explainRefusal(setting, error);
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

/** Explains a refused value: the values that the setting allows, and its purpose. */
function explainRefusal({ schema, help }: Setting, error: Refused): string {
  const cause = error.details[0]?.context?.error;
  // Errors of lists name the item that is wrong.
  return `${cause instanceof Error ? cause.message : `must be ${wanted(schema, error)}`} (${help})`;
}

function wanted(schema: Schema, { details: [detail] }: Refused): string {
  const { type, rules = [], allow = [] }: Described = schema.describe();
  const limitOf = (name: string) => rules.find((rule) => rule.name === name)?.args?.limit;
  const [least, most] = [limitOf('min'), limitOf('max')];
  const range = most === undefined ? `of at least ${least ?? 0}` : `from ${least ?? 0} to ${most}`;
  if (type === 'boolean') return 'true or false';
  if (rules.some(({ name }) => name === 'port')) return 'a port, 0 to 65535';
  if (type === 'number') return `a whole number ${range}`;
  if (detail?.type === 'any.only') return `one of ${allow.join(', ')}`;
  if (detail?.type === 'string.email') return 'an e-mail address';
  if (detail?.type.startsWith('string.uri')) return 'an address such as http://localhost:8080';
  if (detail?.type === 'string.pattern.name') return String(detail.context?.name);
  return `a text of ${range.replace('from ', '')} characters`;
}
