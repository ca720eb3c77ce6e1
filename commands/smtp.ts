import type { Config } from '#setup/config.ts';
import { createSmtp } from '#smtp/server.ts';
import { type Listener, type Part, requireCluster, runProcess } from './process.ts';

/** SMTP listeners that receive mail: one, plus another with implicit TLS if its port is set. */
export const smtpPart: Part = (services) => {
  const { smtp, smtps } = createSmtp(services);
  const plain: Listener = { what: 'smtp', note: () => 'SMTP listener', ...smtp };
  return smtps
    ? [plain, { what: 'smtps', note: () => 'SMTP listener with implicit TLS', ...smtps }]
    : [plain];
};

/** Runs an SMTP process, one of many that share the cluster store. */
export function smtp(config: Config): Promise<void> {
  requireCluster(config, 'smtp');
  return runProcess(config, [smtpPart], { upkeep: false });
}
