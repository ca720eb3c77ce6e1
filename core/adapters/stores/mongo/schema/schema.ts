import { randomUUID } from 'node:crypto';
import type { Collections } from './collections.ts';

/** Version of the collections' layout. A database of another version is refused. */
const schemaVersion = 6;

/** Writes the version to a new database. Throws an error of one sentence if the database has another version. */
export async function checkSchema({ meta }: Collections): Promise<void> {
  const schema = await meta.findOneAndUpdate(
    { _id: 'schema' },
    { $setOnInsert: { version: schemaVersion } },
    { upsert: true, returnDocument: 'after' },
  );
  const version = schema?.version;
  if (version !== schemaVersion) {
    throw new Error(
      `the database has schema version ${version}, this program knows ${schemaVersion}: run the version of Sandpost that wrote it, or name another database`,
    );
  }
}

/** Returns the name of this installation, which is created once. It keeps the installations that share a Redis apart. */
export async function installationOf({ meta }: Collections): Promise<string> {
  const row = await meta.findOneAndUpdate(
    { _id: 'installation' },
    { $setOnInsert: { name: randomUUID() } },
    { upsert: true, returnDocument: 'after' },
  );
  if (row?.name === undefined) throw new Error('the installation has no name');
  return row.name;
}
