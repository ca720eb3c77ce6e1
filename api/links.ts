import type { Config } from '#setup/config.ts';
import type { Caller } from './context.ts';

/** Maker of the URLs in an answer. */
export type Links = { url(path: string): string };

/** Returns URLs that lead the caller back to the same team. A session needs its id unless it is the personal one. */
export function linksOf(
  { baseUrl }: Pick<Config, 'baseUrl'>,
  { keyName, user, team }: Pick<Caller, 'keyName' | 'user' | 'team'>,
): Links {
  const query = keyName === null && user?.id !== team ? `?team_id=${team}` : '';
  return { url: (path) => `${baseUrl}${path}${query}` };
}
