import { randomUUID } from 'node:crypto';
import type { Collections } from './collections.ts';

/** What this program writes. Versions only add: an older program's data is read as it is, a newer one's is refused. */
const schemaVersion = 1;

/** Notes the version in the database. Throws an error of one sentence where a newer program has written there. */
export async function checkSchema({ meta }: Collections): Promise<void> {
  const schema = await meta.findOneAndUpdate(
    { _id: 'schema' },
    { $max: { version: schemaVersion } },
    { upsert: true, returnDocument: 'after' },
  );
  const version = schema?.version ?? schemaVersion;
  if (version > schemaVersion) {
    throw new Error(
      `the database has schema version ${version}, this program knows ${schemaVersion}: start a newer one`,
    );
  }
}

/** The name of this installation, made once: what others share with it in Redis is told apart by it. */
export async function installationOf({ meta }: Collections): Promise<string> {
  const row = await meta.findOneAndUpdate(
    { _id: 'installation' },
    { $setOnInsert: { name: randomUUID() } },
    { upsert: true, returnDocument: 'after' },
  );
  if (row?.name === undefined) throw new Error('the installation has no name');
  return row.name;
}
