import type { Config } from '#core/config.ts';
import { createSmtp } from '#smtp/server.ts';
import { type Part, requireCluster, runProcess } from './process.ts';

/** SMTP listener that receives mail. */
export const smtpPart: Part = { what: 'smtp', note: 'SMTP listener', create: createSmtp };

/** Runs one of any number of SMTP processes on the cluster store. */
export function smtp(config: Config): Promise<void> {
  requireCluster(config, 'smtp');
  return runProcess(config, [smtpPart], { upkeep: false });
}
