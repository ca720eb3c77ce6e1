import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MongoClient } from 'mongodb';

/** Number of rows by table: a team's rows, bodies without a message, and sessions of deleted keys. Omits empty tables. */
export type TeamRows = Record<string, number>;

/** Counts a team's rows in the embedded store's file. */
export function rowsInFile(dataDir: string, team: number): TeamRows {
  const db = new DatabaseSync(path.join(dataDir, 'sandpost.db'), { readOnly: true });
  try {
    const rows: TeamRows = {};
    const add = (table: string, condition: string) => {
      const found = db.prepare(`SELECT count(*) AS total FROM "${table}" WHERE ${condition}`).get();
      if (Number(found?.total) > 0) rows[table] = Number(found?.total);
    };
    for (const { table, column } of db
      .prepare(
        `SELECT t.name AS "table", c.name AS "column" FROM sqlite_schema t, pragma_table_info(t.name) c
         WHERE t.type = 'table' AND c.name IN ('owner', 'team_id')`,
      )
      .all())
      add(String(table), `${column} = ${team}`);
    add('team', `id = ${team}`);
    add('body', 'NOT EXISTS (SELECT 1 FROM message WHERE body_id = body.id)');
    add('session', 'key_id IS NOT NULL AND key_id NOT IN (SELECT id FROM api_key)');
    return rows;
  } finally {
    db.close();
  }
}

/** Counts a team's rows in a MongoDB database. */
export async function rowsInMongo(uri: string, team: number): Promise<TeamRows> {
  const client = new MongoClient(uri);
  try {
    const db = client.db();
    const rows: TeamRows = {};
    const add = async (name: string, condition: object) => {
      const total = await db.collection(name).countDocuments(condition);
      if (total > 0) rows[name] = total;
    };
    for (const { collectionName: name } of await db.collections())
      await add(name, { $or: [{ owner: team }, { team }, { 'metadata.owner': team }] });
    for (const name of ['teams', 'userVersions', 'claims'] as const) await add(name, { _id: team } as object);
    const mails = await db.collection('messages').distinct('mailId');
    await add('bodies.files', { _id: { $nin: mails } });
    const keys = await db.collection('apiKeys').distinct('_id');
    await add('sessions', { keyId: { $nin: [...keys, null] } });
    return rows;
  } finally {
    await client.close();
  }
}
