import type { Config } from '#setup/config.ts';
import { apiPart } from './api.ts';
import { runProcess } from './process.ts';
import { smtpPart } from './smtp.ts';

/** Runs everything in one process: mail, API and upkeep. */
export function start(config: Config): Promise<void> {
  return runProcess(config, [smtpPart, apiPart(config)], { upkeep: true });
}
