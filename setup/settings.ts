import Joi from 'joi';
import { limits } from '#core/limits.ts';
import {
  address,
  baseUrl,
  cidr,
  domainNames,
  duration,
  groupTeams,
  hostPorts,
  httpUrl,
  namespaces,
  oneOf,
  origins,
  port,
  scopes,
  whole,
} from './setting-shapes.ts';

type Row<T> = { schema: Joi.AnySchema<T>; help: string; secret: boolean };

/** Setting with a default. */
function given<T>(schema: Joi.AnySchema<T>, initial: NoInfer<T>, help: string): Row<T> {
  return { schema: schema.default(() => initial), help, secret: false };
}

/** Setting that is null where it is not given. */
function optional<T>(schema: Joi.AnySchema<T>, help: string): Row<T | null> {
  return { schema: schema.default(null), help, secret: false };
}

/** Optional setting that a file may contain, and that no message shows. */
function secret(schema: Joi.AnySchema<string>, help: string): Row<string | null> {
  return { ...optional(schema, help), secret: true };
}

/** Settings, in the order in which `--help` shows them. `httpPort` is `SANDPOST_HTTP_PORT` and `--http-port`. */
const table = {
  baseUrl: given(
    baseUrl(),
    'http://localhost:8080',
    'address under which people and jobs reach the API, with the path of a proxy, if it has one; makes absolute URLs',
  ),
  httpHost: given(Joi.string(), '127.0.0.1', 'address of the API and the probes'),
  httpPort: given(port(), 8080, 'port of the API and the page'),
  smtpHost: given(Joi.string(), '127.0.0.1', 'address of the SMTP listener'),
  smtpPort: given(port(), 2525, 'port of the SMTP listener'),
  smtpMaxConnections: given(whole(1, 65_535), limits.smtp.connections, 'SMTP connections at a time'),
  smtpMaxConnectionsPerAddress: given(
    whole(1, 65_535),
    limits.smtp.connectionsPerAddress,
    'SMTP connections at a time from one address; a Service may show all senders under one',
  ),
  smtpTls: optional(oneOf('self-signed'), 'self-signed: STARTTLS with a certificate that is made at start'),
  smtpTlsCertFile: optional(
    Joi.string(),
    'file of the SMTP certificate and its chain, PEM; offers STARTTLS; read again when it changes',
  ),
  smtpTlsKeyFile: optional(Joi.string(), "file of that certificate's key, PEM"),
  smtpsPort: optional(port(), 'port of a further SMTP listener, with implicit TLS'),
  opsPort: given(port(), 9090, 'port of /livez, /readyz and /metrics'),
  dataDir: given(Joi.string(), './data', 'folder of the embedded store'),
  // Several hosts separated by commas make it no URI in the strict sense.
  mongodbUri: secret(
    Joi.string().pattern(/^mongodb(\+srv)?:\/\/\S+$/, 'mongodb://host[,host…]/database'),
    'cluster store: a MongoDB replica set; needs REDIS_URL too',
  ),
  redisUrl: secret(
    Joi.string().uri({ scheme: ['redis', 'rediss'] }),
    'cluster store: Redis; needs MONGODB_URI too',
  ),
  mxHosts: optional(
    domainNames(),
    'names that an MX record may point at, comma-separated; default: host of the base URL',
  ),
  dnsServers: given(hostPorts(), [], "DNS servers, host:port, comma-separated; default: the system's"),
  mxInterval: optional(whole(1, 86_400), 'seconds between MX checks; default: 60 while pending, then 600'),
  spamUrl: optional(
    Joi.string().pattern(
      /^(spamd|http):\/\/([A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\])(:[0-9]{1,5})?\/?$/,
      'spamd://host:783 or http://host:11333',
    ),
    'spam filter that checks of a message ask: spamd://host:783, or http://host:11333 for rspamd; default: none',
  ),
  outbound: optional(oneOf('public'), 'public: checks of links may request public addresses; default: none'),
  outboundNetworks: optional(
    cidr(),
    'networks (CIDR) that checks of links may request, though they are private; default: none',
  ),
  retentionDays: given(whole(1, 90), 90, 'days that a message is kept, 1 to 90'),
  maxMessageBytes: given(whole(1024, 134_217_728), 26_214_400, 'largest message accepted, bytes'),
  maxStorageLimit: given(
    whole(0),
    limits.owned.storageBytes,
    'largest storage_limit that an account may have, bytes',
  ),
  maxDomains: given(whole(1), limits.owned.domains, 'domains that a team may have'),
  maxAccounts: given(whole(1), limits.owned.accounts, 'accounts that a team may have'),
  requireVerified: given(Joi.boolean(), false, 'true: mail waits (450) until its domain is verified'),
  capture: optional(
    address(),
    'address of the account that takes mail for domains that are not registered; default: it is refused',
  ),
  domainSuffixes: given(
    domainNames(),
    [],
    'names, comma-separated, under which domains may be registered; default: anywhere',
  ),
  registration: given(oneOf('open', 'closed'), 'open', 'registration of new users: open or closed'),
  passwordSignIn: given(
    Joi.boolean(),
    true,
    'false: nobody registers or signs in by password; needs OIDC_ISSUER',
  ),
  oidcIssuer: optional(
    httpUrl(),
    'OpenID Connect: issuer of the identity provider, https; needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET',
  ),
  oidcClientId: optional(
    Joi.string().max(255),
    'OpenID Connect: client id that the provider gave to this installation',
  ),
  oidcClientSecret: secret(Joi.string().max(1024), 'OpenID Connect: secret of that client'),
  oidcScopes: optional(scopes(), 'OpenID Connect: scopes to ask for; default: openid email profile'),
  oidcAllowedEmailDomains: optional(
    domainNames(),
    'OpenID Connect: domains, comma-separated, of the e-mails that may sign in; default: any',
  ),
  oidcGroupsClaim: optional(Joi.string().max(255), 'OpenID Connect: claim that lists the groups of a user'),
  oidcGroups: optional(
    groupTeams(),
    'OpenID Connect: teams that groups are in, group=team:role, comma-separated; needs OIDC_GROUPS_CLAIM',
  ),
  allowedOrigins: given(
    origins(),
    [],
    'further origins whose pages may use the session cookie, comma-separated',
  ),
  smtpProxyFrom: optional(
    cidr(),
    'networks (CIDR, comma-separated) whose connections begin with a PROXY v1 line',
  ),
  trustedProxies: optional(
    cidr(),
    'proxies (CIDR networks, comma-separated) whose X-Forwarded-For is trusted',
  ),
  rateLimit: given(whole(1), 4096, 'requests a minute and user'),
  maxWaits: given(
    whole(1, 2000),
    limits.answers.waits,
    'requests of a user that wait for mail at a time, in each process',
  ),
  watchNamespaces: given(
    namespaces(),
    [],
    'operator: Kubernetes namespaces to watch, comma-separated; default: all',
  ),
  podName: optional(
    Joi.string().max(253),
    'operator: name in the Lease, unique among operators; default: host and process',
  ),
  leaseName: given(
    Joi.string()
      .max(253)
      .pattern(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, 'a name of small letters, digits, "." and "-"'),
    'sandpost-operator',
    'operator: Lease that the operators of one installation compete for',
  ),
  clusterId: optional(
    Joi.string().pattern(/^[A-Za-z0-9._-]{1,63}$/, 'up to 63 letters, digits, ".", "_" and "-"'),
    'operator: id of the cluster whose objects in the store it manages; default: UID of namespace kube-system',
  ),
  orphanGracePeriod: given(
    duration(),
    86_400_000,
    'operator: grace period before objects without a resource are removed, such as 90s, 30m, 24h or 7d',
  ),
  clientUrl: optional(httpUrl(), 'operator: address of the API in Secrets; default: BASE_URL'),
  clientSmtp: optional(
    Joi.string().pattern(/^[A-Za-z0-9.-]+:[0-9]{1,5}$/, 'host:port'),
    'operator: host:port of the SMTP listener in Secrets; default: host of BASE_URL, 25',
  ),
  clientSmtpsPort: optional(port(), 'operator: port of SMTP with implicit TLS, in Secrets; default: none'),
  logLevel: given(
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'silent'),
    'info',
    'trace, debug, info, warn, error or silent',
  ),
  bootstrapEmail: optional(
    Joi.string().email({ tlds: false }),
    'user that is created at start if missing; needs BOOTSTRAP_PASSWORD',
  ),
  bootstrapPassword: secret(Joi.string().min(10).max(256), "that user's password, 10 to 256 characters"),
  bootstrapApiKey: secret(
    Joi.string().pattern(/^sp_[A-Za-z0-9_-]{43}$/, 'sp_ and 43 base64url characters'),
    "that user's API key: sp_ and 43 base64url characters",
  ),
  bootstrapCapture: optional(
    address(),
    'account that is created at start if missing, of that user or of one of its own, and takes mail for any recipient',
  ),
};

type Table = typeof table;

/** Values of all settings. */
export type Values = { [Name in keyof Table]: Table[Name] extends Row<infer T> ? T : never };

/** Setting: its variable and its option, the schema of its values, and a line for `--help`. */
export type Setting = Row<unknown> & { key: string; variable: string; option: string };

export const settings: Setting[] = Object.entries(table).map(([key, row]) => {
  const name = key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
  return { ...row, key, variable: `SANDPOST_${name}`, option: name.toLowerCase().replaceAll('_', '-') };
});
