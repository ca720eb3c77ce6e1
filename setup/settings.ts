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
  namespaces,
  origins,
  scopes,
} from './setting-shapes.ts';

/** Setting: its name without `SANDPOST_`, the schema of its values, and a line for `--help`. */
export type Setting = { name: string; schema: Joi.Schema; help: string; secret?: true };

const port = () => Joi.number().port();

/** Settings, in the order in which `--help` shows them. */
export const settings: Setting[] = [
  {
    name: 'BASE_URL',
    schema: baseUrl().default('http://localhost:8080'),
    help: 'address under which people and jobs reach the API, with the path of a proxy, if it has one; makes absolute URLs',
  },
  { name: 'HTTP_HOST', schema: Joi.string().default('127.0.0.1'), help: 'address of the API and the probes' },
  { name: 'HTTP_PORT', schema: port().default(8080), help: 'port of the API and the page' },
  { name: 'SMTP_HOST', schema: Joi.string().default('127.0.0.1'), help: 'address of the SMTP listener' },
  { name: 'SMTP_PORT', schema: port().default(2525), help: 'port of the SMTP listener' },
  {
    name: 'SMTP_MAX_CONNECTIONS',
    schema: Joi.number().integer().min(1).max(65_535).default(limits.smtp.connections),
    help: 'SMTP connections at a time',
  },
  {
    name: 'SMTP_MAX_CONNECTIONS_PER_ADDRESS',
    schema: Joi.number().integer().min(1).max(65_535).default(limits.smtp.connectionsPerAddress),
    help: 'SMTP connections at a time from one address; a Service may show all senders under one',
  },
  {
    name: 'SMTP_TLS',
    schema: Joi.string().valid('self-signed'),
    help: 'self-signed: STARTTLS with a certificate that is made at start',
  },
  {
    name: 'SMTP_TLS_CERT_FILE',
    schema: Joi.string(),
    help: 'file of the SMTP certificate and its chain, PEM; offers STARTTLS; read again when it changes',
  },
  { name: 'SMTP_TLS_KEY_FILE', schema: Joi.string(), help: "file of that certificate's key, PEM" },
  { name: 'SMTPS_PORT', schema: port(), help: 'port of a further SMTP listener, with implicit TLS' },
  { name: 'OPS_PORT', schema: port().default(9090), help: 'port of /livez, /readyz and /metrics' },
  { name: 'DATA_DIR', schema: Joi.string().default('./data'), help: 'folder of the embedded store' },
  {
    name: 'MONGODB_URI',
    // Several hosts separated by commas make it no URI in the strict sense.
    schema: Joi.string().pattern(/^mongodb(\+srv)?:\/\/\S+$/, 'mongodb://host[,host…]/database'),
    help: 'cluster store: a MongoDB replica set; needs REDIS_URL too',
    secret: true,
  },
  {
    name: 'REDIS_URL',
    schema: Joi.string().uri({ scheme: ['redis', 'rediss'] }),
    help: 'cluster store: Redis; needs MONGODB_URI too',
    secret: true,
  },
  {
    name: 'MX_HOSTS',
    schema: domainNames(),
    help: 'names that an MX record may point at, comma-separated; default: host of the base URL',
  },
  {
    name: 'DNS_SERVERS',
    schema: hostPorts(),
    help: "DNS servers, host:port, comma-separated; default: the system's",
  },
  {
    name: 'MX_INTERVAL',
    schema: Joi.number().integer().min(1).max(86_400),
    help: 'seconds between MX checks; default: 60 while pending, then 600',
  },
  {
    name: 'SPAM_URL',
    schema: Joi.string().pattern(
      /^(spamd|http):\/\/([A-Za-z0-9.-]+|\[[0-9a-fA-F:]+\])(:[0-9]{1,5})?\/?$/,
      'spamd://host:783 or http://host:11333',
    ),
    help: 'spam filter that checks of a message ask: spamd://host:783, or http://host:11333 for rspamd; default: none',
  },
  {
    name: 'OUTBOUND',
    schema: Joi.string().valid('public'),
    help: 'public: checks of links may request public addresses; default: none',
  },
  {
    name: 'OUTBOUND_NETWORKS',
    schema: cidr(),
    help: 'networks (CIDR) that checks of links may request, though they are private; default: none',
  },
  {
    name: 'RETENTION_DAYS',
    schema: Joi.number().integer().min(1).max(90).default(90),
    help: 'days that a message is kept, 1 to 90',
  },
  {
    name: 'MAX_MESSAGE_BYTES',
    schema: Joi.number().integer().min(1024).max(134_217_728).default(26_214_400),
    help: 'largest message accepted, bytes',
  },
  {
    name: 'MAX_STORAGE_LIMIT',
    schema: Joi.number().integer().min(0).default(limits.owned.storageBytes),
    help: 'largest storage_limit that an account may have, bytes',
  },
  {
    name: 'MAX_DOMAINS',
    schema: Joi.number().integer().min(1).default(limits.owned.domains),
    help: 'domains that a team may have',
  },
  {
    name: 'MAX_ACCOUNTS',
    schema: Joi.number().integer().min(1).default(limits.owned.accounts),
    help: 'accounts that a team may have',
  },
  {
    name: 'REQUIRE_VERIFIED',
    schema: Joi.boolean().default(false),
    help: 'true: mail waits (450) until its domain is verified',
  },
  {
    name: 'CAPTURE',
    schema: address(),
    help: 'address of the account that takes mail for domains that are not registered; default: it is refused',
  },
  {
    name: 'DOMAIN_SUFFIXES',
    schema: domainNames(),
    help: 'names, comma-separated, under which domains may be registered; default: anywhere',
  },
  {
    name: 'REGISTRATION',
    schema: Joi.string().valid('open', 'closed').default('open'),
    help: 'registration of new users: open or closed',
  },
  {
    name: 'PASSWORD_SIGN_IN',
    schema: Joi.boolean().default(true),
    help: 'false: nobody registers or signs in by password; needs OIDC_ISSUER',
  },
  {
    name: 'OIDC_ISSUER',
    schema: Joi.string().uri({ scheme: ['http', 'https'] }),
    help: 'OpenID Connect: issuer of the identity provider, https; needs OIDC_CLIENT_ID and OIDC_CLIENT_SECRET',
  },
  {
    name: 'OIDC_CLIENT_ID',
    schema: Joi.string().max(255),
    help: 'OpenID Connect: client id that the provider gave to this installation',
  },
  {
    name: 'OIDC_CLIENT_SECRET',
    schema: Joi.string().max(1024),
    help: 'OpenID Connect: secret of that client',
    secret: true,
  },
  {
    name: 'OIDC_SCOPES',
    schema: scopes(),
    help: 'OpenID Connect: scopes to ask for; default: openid email profile',
  },
  {
    name: 'OIDC_ALLOWED_EMAIL_DOMAINS',
    schema: domainNames(),
    help: 'OpenID Connect: domains, comma-separated, of the e-mails that may sign in; default: any',
  },
  {
    name: 'OIDC_GROUPS_CLAIM',
    schema: Joi.string().max(255),
    help: 'OpenID Connect: claim that lists the groups of a user',
  },
  {
    name: 'OIDC_GROUPS',
    schema: groupTeams(),
    help: 'OpenID Connect: teams that groups are in, group=team:role, comma-separated; needs OIDC_GROUPS_CLAIM',
  },
  {
    name: 'ALLOWED_ORIGINS',
    schema: origins(),
    help: 'further origins whose pages may use the session cookie, comma-separated',
  },
  {
    name: 'SMTP_PROXY_FROM',
    schema: cidr(),
    help: 'networks (CIDR, comma-separated) whose connections begin with a PROXY v1 line',
  },
  {
    name: 'TRUSTED_PROXIES',
    schema: cidr(),
    help: 'proxies (CIDR networks, comma-separated) whose X-Forwarded-For is trusted',
  },
  {
    name: 'RATE_LIMIT',
    schema: Joi.number().integer().min(1).default(4096),
    help: 'requests a minute and user',
  },
  {
    name: 'MAX_WAITS',
    schema: Joi.number().integer().min(1).max(2000).default(limits.answers.waits),
    help: 'requests of a user that wait for mail at a time, in each process',
  },
  {
    name: 'WATCH_NAMESPACES',
    schema: namespaces(),
    help: 'operator: Kubernetes namespaces to watch, comma-separated; default: all',
  },
  {
    name: 'POD_NAME',
    schema: Joi.string().max(253),
    help: 'operator: name in the Lease, unique among operators; default: host and process',
  },
  {
    name: 'LEASE_NAME',
    schema: Joi.string()
      .max(253)
      .pattern(/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/, 'a name of small letters, digits, "." and "-"')
      .default('sandpost-operator'),
    help: 'operator: Lease that the operators of one installation compete for',
  },
  {
    name: 'CLUSTER_ID',
    schema: Joi.string().pattern(/^[A-Za-z0-9._-]{1,63}$/, 'up to 63 letters, digits, ".", "_" and "-"'),
    help: 'operator: id of the cluster whose objects in the store it manages; default: UID of namespace kube-system',
  },
  {
    name: 'ORPHAN_GRACE_PERIOD',
    schema: duration().default(86_400_000),
    help: 'operator: grace period before objects without a resource are removed, such as 90s, 30m, 24h or 7d',
  },
  {
    name: 'CLIENT_URL',
    schema: Joi.string().uri({ scheme: ['http', 'https'] }),
    help: 'operator: address of the API in Secrets; default: BASE_URL',
  },
  {
    name: 'CLIENT_SMTP',
    schema: Joi.string().pattern(/^[A-Za-z0-9.-]+:[0-9]{1,5}$/, 'host:port'),
    help: 'operator: host:port of the SMTP listener in Secrets; default: host of BASE_URL, 25',
  },
  {
    name: 'LOG_LEVEL',
    schema: Joi.string().valid('trace', 'debug', 'info', 'warn', 'error', 'silent').default('info'),
    help: 'trace, debug, info, warn, error or silent',
  },
  {
    name: 'BOOTSTRAP_EMAIL',
    schema: Joi.string().email({ tlds: false }),
    help: 'user that is created at start if missing; needs BOOTSTRAP_PASSWORD',
  },
  {
    name: 'BOOTSTRAP_PASSWORD',
    schema: Joi.string().min(10).max(256),
    help: "that user's password, 10 to 256 characters",
    secret: true,
  },
  {
    name: 'BOOTSTRAP_API_KEY',
    schema: Joi.string().pattern(/^sp_[A-Za-z0-9_-]{43}$/, 'sp_ and 43 base64url characters'),
    help: "that user's API key: sp_ and 43 base64url characters",
    secret: true,
  },
  {
    name: 'BOOTSTRAP_CAPTURE',
    schema: address(),
    help: 'account that is created at start if missing, of that user or of one of its own, and takes mail for any recipient',
  },
];

/** Returns the name of the variable: `SANDPOST_HTTP_PORT` for `HTTP_PORT`. */
export function variableOf(setting: Setting): string {
  return `SANDPOST_${setting.name}`;
}

/** Returns the name of the option: `--http-port` for `HTTP_PORT`. The result has no leading hyphens. */
export function optionOf(setting: Setting): string {
  return setting.name.toLowerCase().replaceAll('_', '-');
}
