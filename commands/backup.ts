import { type Config, ConfigError } from '#setup/config.ts';
import { backUpStore } from '#setup/services.ts';

/** Copies the embedded store into a folder, beside a process that uses it. Throws ConfigError on the cluster store. */
export async function backup(config: Config, folder: string): Promise<void> {
  if (config.cluster !== null)
    throw new ConfigError(
      'sandpost backup copies the embedded store: back up MongoDB with mongodump --oplog',
    );
  await backUpStore(config, folder);
  process.stdout.write(`the store was copied into ${folder}, which can be used as SANDPOST_DATA_DIR\n`);
}
