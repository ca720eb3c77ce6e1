import { createApi } from '#api/app.ts';
import type { Config } from '#core/config.ts';
import { type Part, requireCluster, runProcess } from './process.ts';

/** The API and the page. */
export function apiPart(config: Config): Part {
  return { what: 'http', note: `open ${config.baseUrl}`, create: createApi };
}

/** One of any number of API processes on the cluster store; one of them does the upkeep. */
export function api(config: Config): Promise<void> {
  requireCluster(config, 'api');
  return runProcess(config, [apiPart(config)], { upkeep: true });
}
