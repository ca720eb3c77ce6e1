import { createApi } from '#api/app.ts';
import type { Config } from '#setup/config.ts';
import { type Part, requireCluster, runProcess } from './process.ts';

/** Creates the listener for the API and the page. */
export function apiPart(config: Config): Part {
  return (services) => [
    { what: 'http', note: (port) => `open ${openUrl(config, port)}`, ...createApi(services) },
  ];
}

/** Returns the base URL, or the address with the port that the system chose, because the default base URL cannot contain that port. */
function openUrl({ baseUrl, httpPort }: Config, port: number): string {
  return httpPort === 0 && baseUrl === 'http://localhost:8080' ? `http://localhost:${port}` : baseUrl;
}

/** Runs one of any number of API processes on the cluster store. One process at a time does the upkeep. */
export function api(config: Config): Promise<void> {
  requireCluster(config, 'api');
  return runProcess(config, [apiPart(config)], { upkeep: true });
}
