import type { NotePorts } from '#core/teams/note-action.ts';
import type { Config } from '#setup/config.ts';
import { type AdminServices, openAdminServices } from '#setup/services.ts';

/** Services of one action, with a log that names on standard error what could not be noted in the audit log. */
export type AdminPorts = AdminServices & Pick<NotePorts, 'log'>;

/** Runs one action of an administrator. */
export async function administer<T>(config: Config, work: (ports: AdminPorts) => Promise<T>): Promise<T> {
  const log: AdminPorts['log'] = {
    info: () => {},
    error: (_fields, message) => process.stderr.write(`sandpost: ${message}\n`),
  };
  const services = await openAdminServices(config);
  try {
    return await work({ ...services, log });
  } finally {
    await services.close();
  }
}
