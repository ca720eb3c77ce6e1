import { exportArchive } from '#core/archive/export-archive.ts';
import { importArchive } from '#core/archive/import-archive.ts';
import { backUpStore, upgradeOutlook } from '#setup/admin-services.ts';
import { type Config, ConfigError } from '#setup/config.ts';
import { openServices, type Services } from '#setup/services.ts';
import { createLog } from '#telemetry/log.ts';
import { createMetrics } from '#telemetry/metrics.ts';
import { programVersion } from '#telemetry/program-version.ts';
import { workshopEntry } from './workshop-entry.ts';

/** Exports the whole store to a folder. Running it again continues an interrupted export. */
export async function exportTo(config: Config, folder: string): Promise<void> {
  const count = await withServices(config, async (services) =>
    exportArchive(services, await services.openArchive(folder)),
  );
  process.stdout.write(`${count} messages written to ${folder}\n`);
}

/** Maximum number of names to print. */
const mostNames = 20;

/** Imports an exported folder into the store. Running it again continues an interrupted import. */
export async function importFrom(
  config: Config,
  folder: string,
  trust: { trustPeople?: boolean } = {},
): Promise<void> {
  const { messages, leftAlone } = await withServices(config, async (services) =>
    importArchive(services, await services.openArchive(folder), trust),
  );
  process.stdout.write(`${messages} messages read from ${folder}\n`);
  if (leftAlone.length === 0) return;
  const names = leftAlone.slice(0, mostNames).join(', ');
  const more = leftAlone.length > mostNames ? ` and ${leftAlone.length - mostNames} more` : '';
  process.stdout.write(
    `existing teams received only mail: ${names}${more}; to also add their members, keys, identities and passwords, use --trust-people\n`,
  );
}

async function withServices<T>(config: Config, work: (services: Services) => Promise<T>): Promise<T> {
  // The current pods did not send the archive's mail. The archive names the actual senders.
  const own = { ...config, attributeSenders: false };
  const services = await openServices(own, createLog('silent'), createMetrics(), workshopEntry);
  try {
    return await work(services);
  } finally {
    await services.close();
  }
}

/** Copies the embedded store to a folder while another process may be using it. Throws ConfigError for the cluster store. */
export async function backup(config: Config, folder: string): Promise<void> {
  if (config.cluster !== null)
    throw new ConfigError(
      'sandpost backup copies the embedded store: back up MongoDB with mongodump --oplog',
    );
  await backUpStore(config, folder);
  process.stdout.write(
    `the store was copied to ${folder}; to use the copy, set SANDPOST_DATA_DIR to this folder\n`,
  );
}

/**
 * Prints what this version of the program would do to the configured store. Throws an error of one sentence if it cannot use the store.
 */
export async function checkUpgrade(config: Config): Promise<void> {
  const outlook = await upgradeOutlook(config);
  process.stdout.write(`sandpost ${programVersion}: ${outlook}\n`);
}
