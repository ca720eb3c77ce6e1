import { isIP } from 'node:net';
import { createFullness } from '#maintenance/fullness.ts';
import { type Config, ConfigError } from '#setup/config.ts';
import { isLoopback } from '#setup/loopback.ts';
import { apiPart } from './api.ts';
import { inbox, openLocalUser } from './local-user.ts';
import { runProcess } from './process.ts';
import { smtpPart } from './smtp.ts';

/**
 * Runs everything for one person on their own machine: all mail is caught, and requests of this machine need no key. Throws
 * ConfigError for settings that open it to others.
 */
export function dev(config: Config): Promise<void> {
  if (config.cluster !== null)
    throw new ConfigError(
      'sandpost dev has a store of its own: run sandpost start with SANDPOST_MONGODB_URI',
    );
  requireLoopback('SANDPOST_HTTP_HOST', config.httpHost);
  requireLoopback('SANDPOST_SMTP_HOST', config.smtpHost);
  const own: Config = { ...config, registration: 'closed', baseUrl: baseUrlOf(config) };
  return runProcess(own, [smtpPart, apiPart(own)], {
    upkeep: true,
    async prepare(services) {
      const { user, account } = await openLocalUser(services);
      return {
        visitor: user,
        everybody: { owner: user.id, kind: 'account', name: inbox, proof: '' },
        fullness: createFullness(services, account.id),
      };
    },
  });
}

/** Returns the base URL, with the port of the API where the setting was left at its default. */
function baseUrlOf({ baseUrl, httpPort }: Config): string {
  return baseUrl === 'http://localhost:8080' && httpPort > 0 ? `http://localhost:${httpPort}` : baseUrl;
}

function requireLoopback(setting: string, host: string): void {
  if (host === 'localhost' || (isIP(host) !== 0 && isLoopback(host))) return;
  throw new ConfigError(
    `${setting}: sandpost dev needs no key and so listens on loopback only, not on ${host}; sandpost start is for others`,
  );
}
