import { randomUUID } from 'node:crypto';
import {
  type KnownVersions,
  planUpgrade,
  refusalOf,
  type Upgrade,
  versionOf,
} from '#adapters/stores/version.ts';
import type { Collections } from './rows.ts';

/**
 * Versions of the collections' layout, and the migrations between them. A migration adds fields that are absent in earlier rows,
 * and indexes (`indexes.ts`). `fill` completes the rows later.
 */
const known: KnownVersions = {
  oldest: 6,
  migrations: [
    { to: 7, adds: "each message's code, link and counted bytes" },
    { to: 8, adds: 'the time when an account became full' },
    { to: 9, adds: 'saved searches' },
    { to: 10, adds: 'events that cover several messages' },
    { to: 11, adds: 'message tags, and indexed facts for frequent searches' },
    { to: 12, adds: "a domain's assumed client address" },
    { to: 13, adds: 'mail rules' },
    { to: 14, adds: 'an index of tagged messages' },
    { to: 15, adds: 'simulated failures' },
    { to: 16, adds: 'refused mail' },
    { to: 17, adds: 'share links' },
    { to: 18, adds: 'API keys limited to accounts' },
    { to: 19, adds: "a team's choice of mail clients" },
  ],
};

/** Returns the upgrade from a database's version to this program's version. Null for a new database, which has no version. */
export async function upgradeOf({ meta }: Pick<Collections, 'meta'>): Promise<Upgrade | null> {
  const schema = await meta.findOne({ _id: 'schema' });
  if (schema?.version === undefined) return null;
  const { version: needs, migrations: applied = [] } = schema;
  const upgrade = planUpgrade({ needs, applied }, known);
  if (typeof upgrade !== 'string') return upgrade;
  throw new Error(refusalOf(upgrade, 'the database', { needs, known, another: 'SANDPOST_MONGODB_URI' }));
}

/** Writes the version to a new database. Throws a one-sentence error if this program does not support the database. */
export async function checkSchema(collections: Collections): Promise<void> {
  // The version is that of the oldest program that supports the database. Earlier programs compare this version with their own.
  const first = { $setOnInsert: { version: known.oldest } };
  await collections.meta.updateOne({ _id: 'schema' }, first, { upsert: true });
  await upgradeOf(collections);
}

/** Records the migrations whose fields and indexes exist. Many processes may do so at the same time. */
export async function noteMigrations({ meta }: Collections): Promise<void> {
  const latest = versionOf(known);
  const applied = known.migrations.map(({ to }) => to);
  await meta.updateOne(
    { _id: 'schema', migrations: { $ne: latest } },
    { $addToSet: { migrations: { $each: applied } } },
  );
}

/** Returns this installation's name, which is created once. The name separates installations that share a Redis. */
export async function installationOf({ meta }: Collections): Promise<string> {
  const row = await meta.findOneAndUpdate(
    { _id: 'installation' },
    { $setOnInsert: { name: randomUUID() } },
    { upsert: true, returnDocument: 'after' },
  );
  if (row?.name === undefined) throw new Error('the installation has no name');
  return row.name;
}
