import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { gunzipSync, gzipSync } from 'node:zlib';
import { BSON, type IndexDescriptionInfo, MongoClient } from 'mongodb';
import { onCluster, storeSettings } from '#test/support/program/program.ts';
import type { Picture } from './picture.ts';
import type { World } from './world.ts';

/** Store that a program version has written, and everything that this version read from it. */
export type Fixture = { madeAt: number; world: World; picture: Picture };

const folder = 'test/each-store/upgrade/fixtures';
const fileOf = (name: string, suffix: string) => path.join(folder, `${name}.${suffix}.gz`);
const read = (file: string) => gunzipSync(readFileSync(file));
const write = (file: string, bytes: string | Buffer) => writeFileSync(file, gzipSync(bytes, { level: 9 }));

/** Dates from here on stand for never. */
const never = 8_640_000_000_000_000;

/** Writes a stopped program's store, with the responses that it returned. */
export async function saveFixture(name: string, dataDir: string, fixture: Fixture): Promise<void> {
  write(fileOf(name, 'json'), JSON.stringify(fixture));
  if (onCluster) write(fileOf(name, 'jsonl'), await dumpOf(await uriOf(dataDir)));
  else write(fileOf(name, 'db'), readFileSync(path.join(dataDir, 'sandpost.db')));
}

/**
 * Restores a fixture as the store of a program with this data folder. Moves its times by `shiftMs`, so it is as young as on the day of
 * its creation: mail is kept 90 days, and events one.
 */
export async function restoreFixture(name: string, dataDir: string): Promise<Fixture & { shiftMs: number }> {
  const fixture: Fixture = JSON.parse(read(fileOf(name, 'json')).toString());
  const shiftMs = Date.now() - fixture.madeAt;
  if (onCluster) await restoreDump(read(fileOf(name, 'jsonl')).toString(), await uriOf(dataDir), shiftMs);
  else restoreFile(read(fileOf(name, 'db')), path.join(dataDir, 'sandpost.db'), shiftMs);
  return { ...fixture, shiftMs };
}

/** Returns the address of the database that belongs to a data folder. */
export async function uriOf(dataDir: string): Promise<string> {
  return (await storeSettings(dataDir)).SANDPOST_MONGODB_URI ?? '';
}

function restoreFile(bytes: Buffer, file: string, shiftMs: number): void {
  writeFileSync(file, bytes);
  const db = new DatabaseSync(file);
  const tables = db.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  for (const { name: table } of tables) {
    const columns = db
      .prepare(`PRAGMA table_info("${table}")`)
      .all()
      .map(({ name }) => String(name));
    for (const column of columns.filter((one) => /(^|_)at$|^since$/.test(one))) {
      db.exec(`UPDATE "${table}" SET ${column} = ${column} + ${shiftMs} WHERE ${column} IS NOT NULL`);
    }
  }
  db.close();
}

type Collection = { name: string; indexes: IndexDescriptionInfo[]; rows: BSON.Document[] };

/** Returns all collections, one per line, with their indexes. Keeps number types. */
export async function dumpOf(uri: string): Promise<string> {
  const client = new MongoClient(uri);
  try {
    const found = (await client.db().collections()).sort((a, b) =>
      a.collectionName < b.collectionName ? -1 : 1,
    );
    const lines = found.map(async (one) => {
      const rows = await one.find({}, { promoteValues: false }).sort({ _id: 1 }).toArray();
      const collection: Collection = { name: one.collectionName, indexes: await one.indexes(), rows };
      return BSON.EJSON.stringify(collection, { relaxed: false });
    });
    return (await Promise.all(lines)).join('\n');
  } finally {
    await client.close();
  }
}

async function restoreDump(dump: string, uri: string, shiftMs: number): Promise<void> {
  const client = new MongoClient(uri);
  try {
    for (const line of dump.split('\n')) {
      const { name } = JSON.parse(line);
      const { rows }: Collection = BSON.EJSON.parse(line, { relaxed: false });
      const { indexes }: Collection = BSON.EJSON.parse(line);
      const collection = await client.db().createCollection(name);
      const specs = indexes.filter(({ key }) => !('_id' in key && Object.keys(key).length === 1));
      if (specs.length > 0) await collection.createIndexes(specs);
      if (rows.length > 0) await collection.insertMany(rows.map((row) => shifted(row, shiftMs)));
    }
  } finally {
    await client.close();
  }
}

/** Returns a value with all its dates moved. */
function shifted<T>(value: T, shiftMs: number): T {
  if (value instanceof Date) {
    return (value.getTime() >= never ? value : new Date(value.getTime() + shiftMs)) as T;
  }
  if (Array.isArray(value)) return value.map((part) => shifted(part, shiftMs)) as T;
  if (typeof value !== 'object' || value === null || '_bsontype' in value) return value;
  return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, shifted(part, shiftMs)])) as T;
}
