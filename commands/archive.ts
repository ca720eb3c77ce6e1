import { exportArchive } from '#core/archive/export-archive.ts';
import { importArchive } from '#core/archive/import-archive.ts';
import type { Config } from '#core/config.ts';
import { createLog } from '#core/log.ts';
import { createMetrics } from '#core/metrics.ts';
import { openServices, type Services } from '#core/services.ts';

/** Exports the whole store into a folder. A repeated run continues an interrupted one. */
export async function exportTo(config: Config, folder: string): Promise<void> {
  const count = await withServices(config, async (services) =>
    exportArchive(services, await services.openArchive(folder)),
  );
  process.stdout.write(`${count} messages written to ${folder}\n`);
}

/** Imports an exported folder into the store. A repeated run continues an interrupted one. */
export async function importFrom(config: Config, folder: string): Promise<void> {
  const count = await withServices(config, async (services) =>
    importArchive(services, await services.openArchive(folder)),
  );
  process.stdout.write(`${count} messages read from ${folder}\n`);
}

async function withServices(config: Config, work: (services: Services) => Promise<number>): Promise<number> {
  const services = await openServices(config, createLog('silent'), createMetrics());
  try {
    return await work(services);
  } finally {
    await services.close();
  }
}
