import { randomUUID } from 'node:crypto';
import type { Collections } from './collections.ts';

/**
 * Schema version that this program writes. Versions only add: data of an older program is read unchanged, data of a newer
 * one is refused.
 */
const schemaVersion = 1;

/** Writes the version to the database. Throws an error of one sentence if a newer program has written there. */
export async function checkSchema({ meta }: Collections): Promise<void> {
  const schema = await meta.findOneAndUpdate(
    { _id: 'schema' },
    { $max: { version: schemaVersion } },
    { upsert: true, returnDocument: 'after' },
  );
  const version = schema?.version ?? schemaVersion;
  if (version > schemaVersion) {
    throw new Error(
      `the database has schema version ${version}, this program knows ${schemaVersion}: run a newer version of Sandpost`,
    );
  }
}

/** Gives the name of this installation, which is created once. It keeps the installations that share a Redis apart. */
export async function installationOf({ meta }: Collections): Promise<string> {
  const row = await meta.findOneAndUpdate(
    { _id: 'installation' },
    { $setOnInsert: { name: randomUUID() } },
    { upsert: true, returnDocument: 'after' },
  );
  if (row?.name === undefined) throw new Error('the installation has no name');
  return row.name;
}
