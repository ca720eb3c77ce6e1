import { isIP } from 'node:net';
import type { User } from '#core/access/access.ts';
import { addUser } from '#core/access/user-changes.ts';
import type { Account } from '#core/accounts/account.ts';
import { ensureCaptureAccount } from '#core/accounts/ensure-capture-account.ts';
import { Invalid } from '#core/errors.ts';
import { createOverflowHandler } from '#maintenance/overflow.ts';
import { type Config, ConfigError } from '#setup/config.ts';
import { isLoopback, isLoopbackHost } from '#setup/loopback.ts';
import type { Services } from '#setup/services.ts';
import { apiPart } from './api.ts';
import { captureSubmitter, runProcess } from './process.ts';
import { smtpPart } from './smtp.ts';

/** Runs everything in one process: mail, API and upkeep, and the operator if it is enabled. */
export function start(config: Config): Promise<void> {
  const { operator } = config;
  return runProcess(config, [smtpPart, apiPart(config)], { upkeep: true, operator });
}

/**
 * Runs everything for one person on their own machine: catches all mail and requires no key for requests from this machine. Throws
 * ConfigError for settings that would expose the mail to others.
 */
export function dev(config: Config): Promise<void> {
  requireLoopback('SANDPOST_HTTP_HOST', config.httpHost);
  requireLoopback('SANDPOST_SMTP_HOST', config.smtpHost);
  return withoutKeys(config, isLoopbackHost);
}

/**
 * Catches all mail from anyone who can reach the listeners, and requires no key for requests to hosts that pass `isOwnHost`. Throws
 * ConfigError for settings that contradict these defaults.
 */
export function withoutKeys(config: Config, isOwnHost: (host: string) => boolean): Promise<void> {
  if (config.cluster !== null)
    throw new ConfigError(
      'Only sandpost start, api and smtp use SANDPOST_MONGODB_URI. This command always uses its own store',
    );
  if (config.bootstrap?.capture)
    throw new ConfigError(
      `Only sandpost start, api and smtp use SANDPOST_BOOTSTRAP_CAPTURE. This command has its own account, ${inbox}`,
    );
  const own: Config = { ...config, registration: 'closed', baseUrl: baseUrlOf(config) };
  return runProcess(own, [smtpPart, apiPart(own)], {
    upkeep: true,
    async prepare(services) {
      const { user, account } = await openLocalUser(services);
      return {
        visitor: user,
        isOwnHost,
        everybody: captureSubmitter(account),
        overflow: createOverflowHandler(services, account.id),
      };
    },
  });
}

/** Returns the base URL, with the API's actual port if the base URL setting is the default. */
function baseUrlOf({ baseUrl, httpPort }: Config): string {
  return baseUrl === 'http://localhost:8080' && httpPort > 0 ? `http://localhost:${httpPort}` : baseUrl;
}

function requireLoopback(setting: string, host: string): void {
  if (host === 'localhost' || (isIP(host) !== 0 && isLoopback(host))) return;
  throw new ConfigError(
    `${setting}: sandpost dev needs no key, so it listens only on loopback, not on ${host}. To serve other machines, run sandpost start`,
  );
}

const email = 'you@sandpost.test';
const domain = 'sandpost.test';
export const inbox = `inbox@${domain}`;

/**
 * Finds the only user of `sandpost dev` and the account for this user's mail, and creates them if missing. Throws an error of one
 * sentence if another of the store's teams has the domain.
 */
export async function openLocalUser(services: Services): Promise<{ user: User; account: Account }> {
  const { rows, users, clock } = services;
  const found = await users.find({ email });
  const user = found?.user ?? (await rows.change(addUser, { email, passwordHash: null, now: clock() }));
  const account = await ensureCaptureAccount({ ...services, domainSuffixes: [] }, user.id, inbox).catch(
    (error) => {
      if (!(error instanceof Invalid) || error.violations[0]?.field !== 'domain') throw error;
      throw new Error(
        `${domain} belongs to another team of this store: set SANDPOST_DATA_DIR to another folder, or run sandpost start`,
      );
    },
  );
  return { user, account };
}
