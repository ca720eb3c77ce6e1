import { isIPv6 } from 'node:net';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Config, ConfigError, readConfig } from '#setup/config.ts';
import { isPrivateHost } from '#setup/loopback.ts';
import { refuseUnknownVariables } from '#setup/variables.ts';
import { createLog } from '#telemetry/log.ts';
import { withoutKeys } from './start.ts';
import { withoutUndici } from './without-undici.ts';

type Values = Record<string, string | undefined>;

/** Mailpit setting that Sandpost supports: its variable, and Sandpost's equivalent options. */
type Setting = { variable: string; short?: string; flag?: true; options(value: string): Values };

/** Supported settings, by Mailpit option. */
const settings: Record<string, Setting> = {
  smtp: { variable: 'MP_SMTP_BIND_ADDR', short: 's', options: (place) => listener('smtp', place) },
  listen: { variable: 'MP_UI_BIND_ADDR', short: 'l', options: (place) => listener('http', place) },
  database: { variable: 'MP_DATABASE', short: 'd', options: folderOf },
  'db-file': { variable: 'MP_DATA_FILE', options: folderOf },
  webroot: { variable: 'MP_WEBROOT', options: () => ({}) },
  'allowed-hosts': { variable: 'MP_ALLOWED_HOSTS', options: () => ({}) },
  'smtp-tls-cert': { variable: 'MP_SMTP_TLS_CERT', options: (file) => ({ 'smtp-tls-cert-file': file }) },
  'smtp-tls-key': { variable: 'MP_SMTP_TLS_KEY', options: (file) => ({ 'smtp-tls-key-file': file }) },
  'enable-spamassassin': {
    variable: 'MP_ENABLE_SPAMASSASSIN',
    options: (place) => ({ 'spam-url': `spamd://${place}` }),
  },
  verbose: { variable: 'MP_VERBOSE', short: 'v', flag: true, options: logLevel('debug') },
  quiet: { variable: 'MP_QUIET', short: 'q', flag: true, options: logLevel('error') },
};

/** Settings whose effect Sandpost always has, so no warning is necessary. */
const met = [
  ...['MP_SMTP_AUTH_ACCEPT_ANY', 'MP_SMTP_AUTH_ALLOW_INSECURE', 'MP_SEND_API_AUTH_ACCEPT_ANY'],
  ...['MP_SMTP_DISABLE_RDNS', 'MP_DISABLE_VERSION_CHECK'],
];

/** Settings that restrict access to the mail. Ignoring them would open the mail to everybody. */
const refused = ['MP_UI_AUTH', 'MP_UI_AUTH_FILE', 'MP_UI_TLS_CERT', 'MP_UI_TLS_KEY'];

function folderOf(file: string): Values {
  if (/^https?:/i.test(file))
    throw new ConfigError('Sandpost has no remote database: MP_DATABASE must be a file path');
  return { 'data-dir': path.dirname(file) };
}

function logLevel(level: string): Setting['options'] {
  return (value) => (/^(?:1|true|yes|on)$/i.test(value) ? { 'log-level': level } : {});
}

/** Reads `[::]:1025`, `0.0.0.0:1025` or `:1025`. Any-address listeners use IPv4, as in the image. */
function listener(name: 'smtp' | 'http', place: string): Values {
  const [, host = '', port = ''] = /^(.*):(\d{1,5})$/s.exec(place) ?? [];
  if (port === '')
    throw new ConfigError(`The ${name} listener's address must be host:port, such as [::]:1025`);
  const isAny = host === '' || host === '[::]';
  return { [`${name}-host`]: isAny ? '0.0.0.0' : host.replace(/^\[|\]$/g, ''), [`${name}-port`]: port };
}

/** Reads Mailpit's settings: variables, and options, which take precedence. `args` are the arguments after the command's name. */
export function readMailpit(
  args: string[],
  env: NodeJS.ProcessEnv,
): { config: Config; allowedHosts: string[]; ignored: string[] } {
  const given = { ...variablesOf(env), ...optionsOf(args) };
  for (const name of refused)
    if (given[name])
      throw new ConfigError(
        `sandpost mailpit does not support ${name}, which restricts access. Run sandpost start, which has users and keys`,
      );
  const known = Object.values(settings);
  const ignored = Object.keys(given).filter(
    (name) => !met.includes(name) && !known.some(({ variable }) => variable === name),
  );
  const options: Values = {};
  for (const { variable, options: optionsFor } of known)
    Object.assign(options, given[variable] === undefined ? {} : optionsFor(given[variable]));
  const ports = { SANDPOST_HTTP_HOST: '0.0.0.0', SANDPOST_SMTP_HOST: '0.0.0.0', SANDPOST_SMTP_PORT: '1025' };
  const own = { ...ports, SANDPOST_HTTP_PORT: '8025', SANDPOST_OPS_PORT: '0', ...env };
  const { httpPort } = readConfig(own, options);
  const root = (given.MP_WEBROOT ?? '').replace(/^\/|\/$/g, '');
  if (root !== '') options['base-url'] = `http://localhost:${httpPort}/${root}`;
  const allowedHosts = (given.MP_ALLOWED_HOSTS ?? '')
    .toLowerCase()
    .split(',')
    .map((host) => host.trim().replace(/:\d{1,5}$/, ''));
  return { config: readConfig(own, options), allowedHosts, ignored };
}

function variablesOf(env: NodeJS.ProcessEnv): Record<string, string> {
  const given = Object.entries(env).flatMap(([name, value]) =>
    name.startsWith('MP_') && value ? [[name, value] as const] : [],
  );
  return Object.fromEntries(given);
}

/**
 * Returns options by the names of their variables. An unknown option gets a name formed as Mailpit forms most of its variables' names.
 */
function optionsOf(args: string[]): Record<string, string> {
  const declared = Object.entries(settings).map(([name, { short, flag }]) => [
    name,
    { type: flag ? ('boolean' as const) : ('string' as const), ...(short !== undefined && { short }) },
  ]);
  const { tokens } = parseArgs({
    ...{ args, allowPositionals: true, strict: false, tokens: true },
    options: Object.fromEntries(declared),
  });
  const given = tokens.flatMap((token) =>
    token.kind === 'option' ? [[variableOf(token.name), token.value ?? 'true'] as const] : [],
  );
  return Object.fromEntries(given);
}

function variableOf(option: string): string {
  const own = Object.hasOwn(settings, option) ? settings[option]?.variable : undefined;
  return own ?? `MP_${option.toUpperCase().replaceAll('-', '_')}`;
}

/** Runs in place of Mailpit, or of Mailpit's command `readyz`, which checks a running process. Returns the exit code. */
export async function mailpit([command = '', ...more]: string[], env: NodeJS.ProcessEnv): Promise<number> {
  const isReadyz = command === 'readyz';
  if (command !== '' && !isReadyz && !command.startsWith('-'))
    throw new ConfigError(`sandpost mailpit has no command "${command}", only readyz`);
  refuseUnknownVariables(env);
  const { config, allowedHosts, ignored } = readMailpit(isReadyz ? more : [command, ...more], env);
  if (isReadyz) return (await isReady(config)) ? 0 : 1;
  withoutUndici();
  if (ignored.length > 0)
    createLog(config.logLevel).warn(
      { event: 'settings.ignored', settings: ignored },
      `these Mailpit settings have no effect here: ${ignored.join(', ')}`,
    );
  await withoutKeys(config, (host) => isPrivateHost(host) || allowedHosts.includes(host));
  return 0;
}

async function isReady({ httpHost, httpPort, basePath }: Config): Promise<boolean> {
  const host = httpHost === '0.0.0.0' ? '127.0.0.1' : isIPv6(httpHost) ? `[${httpHost}]` : httpHost;
  const answer = await fetch(`http://${host}:${httpPort}${basePath}/readyz`).catch(() => null);
  return answer?.ok ?? false;
}
