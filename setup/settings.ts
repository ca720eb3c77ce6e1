import Joi from 'joi';
import { limits } from '#core/limits.ts';
import {
  address,
  baseUrl,
  cidr,
  domainNames,
  domainSuffixes,
  duration,
  groupTeams,
  hostPorts,
  httpUrl,
  namespaces,
  oneOf,
  origins,
  port,
  redisAddress,
  scopes,
  whole,
} from './setting-shapes.ts';

type Row<T> = { schema: Joi.AnySchema<T>; initial: T | null; help: string; secret: boolean };

/** Setting that has a default. */
function given<T>(schema: Joi.AnySchema<T>, initial: NoInfer<T>, help: string): Row<T> {
  return { schema: schema.default(() => initial), initial, help, secret: false };
}

/** Setting that is null if it is not set. */
function optional<T>(schema: Joi.AnySchema<T>, help: string): Row<T | null> {
  return { schema: schema.default(null), initial: null, help, secret: false };
}

/** Optional setting that may come from a file, and that no message shows. */
function secret(schema: Joi.AnySchema<string>, help: string): Row<string | null> {
  return { ...optional(schema, help), secret: true };
}

/**
 * Settings in the order in which `--help` and docs/settings.md show them. `httpPort` is `SANDPOST_HTTP_PORT` and `--http-port`. If a
 * default is not a single value, it is at the end of the help text.
 */
const table = {
  baseUrl: given(
    baseUrl(),
    'http://localhost:8080',
    'public URL of the API and the page, including any path that a proxy adds. Absolute URLs begin with it, and pages from its origin may use the session cookie',
  ),
  httpHost: given(Joi.string(), '127.0.0.1', 'address that the API and the probes listen on'),
  httpPort: given(port(), 8080, 'port for the API and the page; 0 picks a free one'),
  smtpHost: given(
    Joi.string(),
    '127.0.0.1',
    'address that the SMTP listener binds to. In an api process, the host that the page shows to senders',
  ),
  smtpPort: given(
    port(),
    2525,
    'port for the SMTP listener. In an api process, the port that the page shows to senders',
  ),
  smtpMaxConnections: given(whole(1, 65_535), limits.smtp.connections, 'concurrent SMTP connections'),
  smtpMaxConnectionsPerAddress: given(
    whole(1, 65_535),
    limits.smtp.connectionsPerAddress,
    'concurrent SMTP connections from one address. Behind a Kubernetes Service, all senders may share an address',
  ),
  smtpTls: optional(
    oneOf('self-signed'),
    'self-signed enables STARTTLS with a certificate created at startup',
  ),
  smtpTlsCertFile: optional(
    Joi.string(),
    'PEM file with the SMTP certificate and its chain. Enables STARTTLS. Reloaded when it changes',
  ),
  smtpTlsKeyFile: optional(Joi.string(), "PEM file with that certificate's key"),
  smtpsPort: optional(port(), 'port for a second SMTP listener, with implicit TLS'),
  opsPort: given(
    port(),
    9090,
    'port for /livez, /readyz and /metrics. `sandpost dev` and `sandpost mailpit` pick a free port',
  ),
  dataDir: given(Joi.string(), './data', 'folder for the embedded store, which is one SQLite file'),
  // Strictly speaking, several hosts separated by commas are not a URI.
  mongodbUri: secret(
    Joi.string().pattern(/^mongodb(\+srv)?:\/\/\S+$/, 'mongodb://host[,host…]/database'),
    'cluster store: MongoDB replica set. Needs REDIS_URL',
  ),
  redisUrl: secret(
    redisAddress(),
    'cluster store: Redis at redis://, redis+sentinel:// or redis+cluster://. Needs MONGODB_URI',
  ),
  mxHosts: optional(
    domainNames(),
    'comma-separated names that an MX record may point to; default: host of the base URL',
  ),
  dnsServers: given(hostPorts(), [], "comma-separated DNS servers (host:port); default: the system's"),
  mxInterval: optional(whole(1, 86_400), 'seconds between MX checks; default: 60 while pending, then 600'),
  spamUrl: optional(
    Joi.string().pattern(
      /^(spamd|http):\/\/([A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\])(:[0-9]{1,5})?\/?$/,
      'spamd://host:783 or http://host:11333',
    ),
    'spam filter for message checks: spamd://host:783, or http://host:11333 for rspamd',
  ),
  otlpUrl: optional(
    httpUrl(),
    'OpenTelemetry collector that receives spans over OTLP/HTTP for mail with a sampled trace: http://host:4318',
  ),
  outbound: optional(oneOf('public'), 'public lets link checks request public addresses'),
  outboundNetworks: optional(cidr(), 'comma-separated private networks (CIDR) that link checks may request'),
  retentionDays: given(whole(1, 90), 90, 'days before a message is deleted, 1 to 90'),
  maxMessageBytes: given(whole(1024, 134_217_728), 26_214_400, 'largest accepted message, in bytes'),
  maxStorageLimit: given(
    whole(0),
    limits.owned.storageBytes,
    'largest storage_limit for an account, in bytes',
  ),
  maxDomains: given(whole(1), limits.owned.domains, 'domains per team'),
  maxAccounts: given(whole(1), limits.owned.accounts, 'accounts per team'),
  requireVerified: given(Joi.boolean(), false, 'whether to defer mail (450) until its domain is verified'),
  capture: optional(
    address(),
    'account that receives mail for unregistered domains from anybody who can reach the listener; default: none (Sandpost refuses this mail)',
  ),
  domainSuffixes: given(
    domainSuffixes(),
    [],
    'comma-separated suffixes under which teams may register domains: suffix for every team, team=suffix for one managed team; default: any',
  ),
  registration: given(oneOf('open', 'closed'), 'open', 'user registration: open or closed'),
  passwordSignIn: given(
    Joi.boolean(),
    true,
    'whether people may register and sign in with a password. If false, only OpenID Connect and API keys work. Needs OIDC_ISSUER',
  ),
  oidcIssuer: optional(
    httpUrl(),
    "OpenID Connect: identity provider's issuer URL (https). Needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET",
  ),
  oidcClientId: optional(
    Joi.string().max(255),
    'OpenID Connect: client ID. The redirect URI is the base URL followed by /api/auth/oidc/callback',
  ),
  oidcClientSecret: secret(Joi.string().max(1024), 'OpenID Connect: client secret'),
  oidcScopes: optional(scopes(), 'OpenID Connect: requested scopes; default: openid email profile'),
  oidcAllowedEmailDomains: optional(
    domainNames(),
    'OpenID Connect: comma-separated email domains that may sign in; default: any',
  ),
  oidcGroupsClaim: optional(Joi.string().max(255), "OpenID Connect: claim that lists the user's groups"),
  oidcGroups: optional(
    groupTeams(),
    'OpenID Connect: comma-separated mappings of groups to teams, group=team:role. Needs OIDC_GROUPS_CLAIM',
  ),
  allowedOrigins: given(
    origins(),
    [],
    'comma-separated additional origins whose pages may use the session cookie in browsers that do not send Sec-Fetch-Site',
  ),
  smtpProxyFrom: optional(
    cidr(),
    'comma-separated networks (CIDR) whose SMTP connections begin with a PROXY v1 line',
  ),
  trustedProxies: optional(cidr(), 'comma-separated proxies (CIDR) whose X-Forwarded-For is trusted'),
  rateLimit: given(
    whole(1),
    4096,
    "requests per minute for each user, across all of the user's keys and sessions",
  ),
  maxWaits: given(
    whole(1, 2000),
    limits.answers.waits,
    'concurrent waits for mail per user and process, up to 2000. Each key can always use a tenth of them',
  ),
  operator: given(Joi.boolean(), false, 'whether sandpost start also runs the Kubernetes operator'),
  watchNamespaces: given(namespaces(), [], 'operator: comma-separated namespaces to watch; default: all'),
  namespaceSelector: optional(
    Joi.string().max(1000),
    'operator: label selector for the namespaces to watch, such as sandpost=yes. Replaces WATCH_NAMESPACES',
  ),
  previewSelector: optional(
    Joi.string().max(1000),
    'operator: label selector for namespaces that each get an inbox, such as preview=yes. Needs PREVIEW_DOMAIN',
  ),
  previewDomain: optional(
    Joi.string()
      .max(189)
      .pattern(/^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)*$/, 'a domain in lower case'),
    'operator: parent domain for these inboxes; each namespace gets its own subdomain',
  ),
  podName: optional(
    Joi.string().max(253),
    'operator: name in the Lease, unique among operators; default: host and process',
  ),
  leaseName: given(
    Joi.string()
      .max(253)
      .pattern(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, 'a name of lower-case letters, digits, "." and "-"'),
    'sandpost-operator',
    'operator: Lease that the operators of one installation compete for',
  ),
  clusterId: optional(
    Joi.string().pattern(/^[A-Za-z0-9._-]{1,63}$/, 'up to 63 letters, digits, ".", "_" and "-"'),
    'operator: ID of the cluster whose objects it manages in the store; default: UID of kube-system',
  ),
  attributeSenders: given(
    Joi.boolean(),
    false,
    'smtp, operator: whether each message names the pod that sent it. To find that pod, the operator lists Pods',
  ),
  orphanGracePeriod: given(
    duration(),
    86_400_000,
    'operator: grace period before it removes objects without a resource: 90s, 30m, 24h or 7d; default: 24h',
  ),
  clientUrl: optional(httpUrl(), 'operator: API URL to write into Secrets; default: the base URL'),
  clientSmtp: optional(
    Joi.string().pattern(/^[A-Za-z0-9.-]+:[0-9]{1,5}$/, 'host:port'),
    'operator: host:port of the SMTP listener in Secrets; default: host of the base URL, port 25',
  ),
  clientSmtpsPort: optional(port(), 'operator: port for SMTP with implicit TLS, in Secrets'),
  logLevel: given(
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    'info',
    'trace, debug, info, warn, error or silent',
  ),
  bootstrapEmail: optional(
    Joi.string().email({ tlds: false }),
    'email address of a user created at startup if missing. Needs BOOTSTRAP_PASSWORD',
  ),
  bootstrapPassword: secret(Joi.string().min(10).max(256), "that user's password, 10 to 256 characters"),
  bootstrapApiKey: secret(
    Joi.string().pattern(/^sp_[A-Za-z0-9_-]{43}$/, 'sp_ and 43 base64url characters'),
    "that user's API key: sp_ and 43 base64url characters",
  ),
  bootstrapCapture: optional(
    address(),
    'account created at startup if missing. Receives mail for any recipient. Belongs to that user, or else to a user without a password',
  ),
};

type Table = typeof table;

export type Values = { [Name in keyof Table]: Table[Name] extends Row<infer T> ? T : never };

/** Setting: its variable, its option, the schema of its values, its help text, and its default in words. */
export type Setting = Row<unknown> & { key: string; variable: string; option: string; fallback: string };

export const settings: Setting[] = Object.entries(table).map(([key, row]) => {
  const name = key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
  const [help = '', inWords] = row.help.split('; default: ');
  const fallback = inWords ?? (String(row.initial ?? '') || 'none');
  const option = name.toLowerCase().replaceAll('_', '-');
  return { ...row, help, fallback, key, variable: `SANDPOST_${name}`, option };
});
