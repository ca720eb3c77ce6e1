import { createPasswords } from '#adapters/passwords.ts';
import { outlookOf } from '#adapters/stores/version.ts';
import type { Cascade } from '#core/domains/domain.ts';
import type { Store } from '#core/store.ts';
import type { Config } from './config.ts';
import type { Services } from './services.ts';

/** Copies the embedded store into a folder while another process may be using the store. Throws an error of one sentence. */
export async function backUpStore({ dataDir }: Config, folder: string): Promise<void> {
  (await import('#adapters/stores/sqlite/backup.ts')).backUpSqlite(dataDir, folder);
}

/** Services for a command that manages users and teams. The command handles no mail, so it needs neither Redis nor worker threads. */
export type AdminServices = Omit<Store, 'close'> &
  Pick<Services, 'clock' | 'passwords' | 'close'> & { cascade: Cascade };

/**
 * Opens the services for a command that manages users and teams. Soft-deleted rows are removed by another process's upkeep, or by upkeep
 * after the next start. Throws an error of one sentence if the store cannot be opened.
 */
export async function openAdminServices({ cluster, dataDir }: Config): Promise<AdminServices> {
  const store = cluster
    ? await (await import('#adapters/stores/mongo/open.ts')).openMongoStore({ uri: cluster.mongodbUri })
    : await (await import('#adapters/stores/sqlite/open.ts')).openSqliteStore({ dataDir });
  const passwords = createPasswords(() => {});
  return {
    ...store,
    clock: () => new Date(),
    passwords: passwords.signIn,
    cascade: { begin: () => {} },
    close: () => store.close(),
  };
}

/**
 * Returns one sentence about what this program would do to the store. Changes nothing. Throws an error of one sentence if this program
 * cannot use the store.
 */
export async function upgradeOutlook({ cluster, dataDir }: Config): Promise<string> {
  const upgrade = cluster
    ? (await import('#adapters/stores/mongo/open.ts')).readMongoUpgrade(cluster.mongodbUri)
    : (await import('#adapters/stores/sqlite/open.ts')).readSqliteUpgrade(dataDir);
  return outlookOf(await upgrade);
}
